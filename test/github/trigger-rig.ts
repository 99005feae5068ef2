// Owns a server in this process that receives the webhooks of the GitHub of the tests, and the results of its deliveries.

import { expect } from 'vitest';
import type { AnyWorkflow } from '../../src/api/engine-options.ts';
import { compiledOf } from '../../src/api/workflow-source.ts';
import type { TriggerModel } from '../../src/definition/trigger/trigger.ts';
import { step, workflow } from '../../src/index.ts';
import { EventRig, type Opened } from '../server/event-rig.ts';
import { HOOK_SECRET, labelItem, payloadFor, type Webhook, webhookRequest } from './events.ts';
import { type GitHubStage, openGitHubStage } from './stage.ts';
import type { Item } from './state.ts';

/** A delivery as the API lists it. */
export interface ListedDelivery {
  readonly number: number;
  readonly event: string;
  readonly status: string;
  readonly reason: string | null;
  readonly run: string | null;
}

/** A workflow that waits, so that its run stays open. */
export function waits(name: string, trigger?: Partial<TriggerModel>): AnyWorkflow {
  const one = workflow(name, function* () {
    return yield* step('hear').signal('go');
  });
  return trigger === undefined
    ? one
    : { ...compiledOf(one), trigger: { event: 'issues.labeled', labels: [], baseBranches: [], ...trigger } };
}

/** A GitHub and servers on one database. */
export class TriggerRig {
  readonly stage: GitHubStage;
  readonly events = new EventRig();

  private constructor(stage: GitHubStage) {
    this.stage = stage;
  }

  static async open(): Promise<TriggerRig> {
    return new TriggerRig(await openGitHubStage());
  }

  /** Opens a server that takes webhooks only. */
  serve(workflows: readonly AnyWorkflow[], forge = this.stage.forge): Promise<Opened> {
    return this.events.open({
      workflows,
      events: {
        forge: { forge: { ...forge, watch: () => () => undefined }, webhook: { secret: 'HOOK', repository: 'octo/project' } },
        secret: async () => HOOK_SECRET,
      },
    });
  }

  async deliveries({ ask }: Opened): Promise<ListedDelivery[]> {
    return ((await ask('GET', '/api/v1/deliveries')).body as { deliveries: ListedDelivery[] }).deliveries;
  }

  /** Sends a webhook, and returns the status and text of the response. */
  async send({ server }: Opened, webhook: Webhook | Request): Promise<[number, string | undefined]> {
    const response = await server.fetch(webhook instanceof Request ? webhook : webhookRequest('http://127.0.0.1', webhook));
    const { status, code } = (await response.json()) as { status?: string; code?: string };
    return [response.status, typeof status === 'string' ? status : code];
  }

  /** Sends a webhook and waits until it was acted on. */
  async sent(opened: Opened, webhook: Webhook): Promise<ListedDelivery> {
    expect(await this.send(opened, webhook)).toEqual([202, 'stored']);
    await expect.poll(async () => (await this.deliveries(opened))[0]?.status).not.toBe('received');
    return (await this.deliveries(opened))[0] as ListedDelivery;
  }

  issue(more: Partial<Item> = {}): Item {
    return Object.assign(this.stage.hub.state.add({ title: 'Search', body: '', user: 'ann' }), more);
  }

  label(item: Item, name: string, sender = 'ann'): Webhook {
    return labelItem(this.stage.hub.state, item, { label: name, sender });
  }

  comment(item: Item, body: string, { sender = 'ann', id = 77 }: { readonly sender?: string; readonly id?: number } = {}): Webhook {
    const comment = { id, body, user: { login: sender, type: 'User' } };
    return { event: 'issue_comment', payload: payloadFor(item, { action: 'created', sender, comment }) };
  }

  async close(): Promise<void> {
    await this.events.close();
    await this.stage.close();
  }
}

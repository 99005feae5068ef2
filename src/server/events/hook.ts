// Handles a delivery to `/hooks/<name>`: it starts a workflow or sends a signal. Its body is data for the templates in the
// settings; nothing in it is interpreted as a template, or names a workflow or a secret.

import { digestText } from '../../base/digest.ts';
import { EngineError, isEngineError, messageOf } from '../../base/error.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { evaluateCondition, parseExpression } from '../../expr/expression.ts';
import { parseTemplateTree, renderTemplateTree } from '../../expr/template-tree.ts';
import { type Deliveries, type DeliveryHandler, type ReceivedDelivery, runOfDelivery, type StoredDelivery } from './deliveries.ts';
import type { HookSetting } from './event-settings.ts';
import type { EventStart } from './schedules.ts';

interface HookParts {
  readonly deliveries: Deliveries;
  readonly now: () => number;
  /** Starts a run. Throws RUN_EXISTS if there is one with this id. */
  readonly start: (start: EventStart) => Promise<void>;
  /** Sends a signal, once per id. */
  readonly signal: (run: string, signal: { readonly name: string; readonly payload: Json; readonly id: string }) => Promise<void>;
}

/** The route of a hook, as deliveries have it. */
export function routeOf(hook: string): string {
  return `hook/${hook}`;
}

/** The key of a delivery, and how long it is debounced. */
export function groupOf(setting: HookSetting, scope: JsonObject): Pick<ReceivedDelivery, 'key' | 'debounceMs'> {
  const { key, debounceMs = 0 } = setting;
  if (key === undefined) return { key: '', debounceMs };
  try {
    return { key: keyIn(key, scope), debounceMs };
  } catch {
    // The handler reports the error; until then the delivery has no key.
    return { key: '', debounceMs: 0 };
  }
}

/** The names that the templates of a hook read. */
export function scopeOf({
  body,
  headers,
  delivery,
  receivedAt,
}: Pick<StoredDelivery, 'body' | 'headers' | 'delivery' | 'receivedAt'>): JsonObject {
  return { body, headers, delivery: { id: delivery, received_at: new Date(receivedAt).toISOString() } };
}

/** Creates the handler for the deliveries of one hook. */
export function hookHandler(name: string, setting: HookSetting, parts: HookParts): DeliveryHandler {
  return async (delivery) => {
    const scope = scopeOf(delivery);
    if (setting.when !== undefined && !evaluateCondition(parseExpression(setting.when), scope))
      return { status: 'ignored', reason: `its condition is false: ${setting.when}` };
    const limited = limitOf(setting, delivery, parts);
    if (limited !== undefined) return { status: 'limited', reason: limited };
    const { start, signal } = setting;
    if (signal !== undefined) return sendSignal(signal, { delivery, scope }, parts);
    if (start === undefined) return { status: 'ignored', reason: `hook "${name}" neither starts a workflow nor sends a signal` };
    const params = rendered(setting.params ?? {}, scope) as JsonObject;
    const id = runOfDelivery(delivery);
    const trigger = { hook: name, ...scope };
    try {
      await parts.start({ workflow: start, id, params, event: `hook.${name}`, deliveryId: delivery.delivery, trigger });
    } catch (error) {
      // An earlier try started it.
      if (!isEngineError(error) || error.code !== 'RUN_EXISTS') throw error;
    }
    return { status: 'done', run: id };
  };
}

function limitOf({ rate, key }: HookSetting, delivery: StoredDelivery, { deliveries, now }: HookParts): string | undefined {
  if (rate === undefined) return undefined;
  const rateKey = key === undefined ? '' : keyIn(key, scopeOf(delivery));
  const count = deliveries.countSince({ route: delivery.route, key: rateKey, since: now() - rate.perMs, except: delivery.number });
  return count < rate.max
    ? undefined
    : `${count} deliveries with this key were handled in the last ${rate.perMs / 1000} s, which is the limit`;
}

async function sendSignal(
  signal: NonNullable<HookSetting['signal']>,
  { delivery, scope }: { readonly delivery: StoredDelivery; readonly scope: JsonObject },
  parts: HookParts,
): ReturnType<DeliveryHandler> {
  const run = rendered(signal.run, scope);
  const name = rendered(signal.name, scope);
  if (typeof run !== 'string' || typeof name !== 'string')
    throw new EngineError('STEP_FAILED', '"signal.run" and "signal.name" of the hook must be strings');
  const payload = signal.payload === undefined ? delivery.body : rendered(signal.payload, scope);
  try {
    await parts.signal(run, { name, payload, id: `${delivery.route}/${delivery.delivery}` });
  } catch (error) {
    if (isEngineError(error) && (error.code === 'RUN_NOT_FOUND' || error.code === 'RUN_FINAL'))
      return { status: 'ignored', reason: messageOf(error) };
    throw error;
  }
  return { status: 'done', run };
}

const KEY_MAX = 200;

/** The key of a delivery. A long one is replaced by its digest: keys are only compared. */
function keyIn(template: string, scope: JsonObject): string {
  const key = JSON.stringify(rendered(template, scope));
  return key.length > KEY_MAX ? digestText(key) : key;
}

function rendered(value: Json, scope: JsonObject): Json {
  return renderTemplateTree(parseTemplateTree(value), scope);
}

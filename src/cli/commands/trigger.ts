// `pawl trigger`: replays an event of the forge, as if it had just arrived.

import { randomUUID } from 'node:crypto';
import { EngineError } from '../../base/error.ts';
import { isJsonObject } from '../../base/json.ts';
import { eventProblem } from '../../definition/trigger/event.ts';
import { deliveryJson, openDeliveries } from '../../server/events/events.ts';
import { manualDelivery } from '../../server/triggers/received-event.ts';
import { type CommandRun, type ParsedArgs, usageError } from '../command.ts';
import { assertSettingsTrusted, FORGE_HINT } from '../forge/session.ts';
import { readJson, requiredOption } from '../params.ts';
import { starterName } from '../right.ts';
import { withProjectEvents } from '../serve/project-events.ts';
import { closing, findSetup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const { event, payload } = readEvent(shell, args);
  await assertSettingsTrusted(shell, setup);
  const { forge } = setup.settings;
  if (forge === undefined) throw new EngineError('CONFIG_INVALID', `no forge is configured for ${setup.project.root}; ${FORGE_HINT}`);
  const actor = await starterName(shell);
  return withProjectEvents(shell, { setup, acts: true }, (services) =>
    closing(openDeliveries(services), async (deliveries) => {
      const id = args.option('id') ?? `hand-${randomUUID()}`;
      const status = deliveries.receive(manualDelivery({ route: forge.kind, id, event, payload, actor }));
      if (status === 'duplicate') throw usageError(`delivery "${id}" already exists; "pawl deliveries" lists it`);
      await deliveries.ring();
      const received = deliveries.list({ route: forge.kind, limit: 100 }).find(({ delivery }) => delivery === id);
      if (received === undefined) throw new EngineError('DELIVERY_UNKNOWN', `delivery "${id}" no longer exists`);
      if (received.run !== null) await services.engine.run(received.run).wait('outside');
      return shell.result({ delivery: deliveryJson(received) }, () => [
        received.run === null
          ? `${event} started nothing: ${oneLine(received.reason ?? received.status)}`
          : `${event} started run ${received.run}${received.reason === null ? '' : `; ${oneLine(received.reason)}`}`,
      ]);
    }),
  );
};

function readEvent(shell: Shell, args: ParsedArgs) {
  const event = requiredOption(args, 'event', 'the event to replay, such as issues.labeled');
  const problem = eventProblem(event);
  if (problem !== undefined) throw usageError(`--event ${event}: ${problem.message}; ${problem.hint}`);
  const payload = readJson(shell, args.option('payload') ?? '{}', '--payload');
  if (!isJsonObject(payload)) throw usageError('--payload must be a JSON object as the forge sends it, or @file');
  const { action } = payload;
  const isComplete = event.includes('.') || typeof action !== 'string';
  return { event: isComplete ? event : `${event}.${action}`, payload };
}

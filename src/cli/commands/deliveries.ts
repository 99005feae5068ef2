// `pawl deliveries`: lists events of the forge and deliveries to `/hooks/NAME` with their results, and handles one again.

import type { Deliveries } from '../../server/events/deliveries.ts';
import { deliveryJson, openDeliveries } from '../../server/events/events.ts';
import { type CommandRun, usageError } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { withProjectEvents } from '../serve/project-events.ts';
import { closing, findSetup } from '../session.ts';
import type { Shell } from '../shell.ts';
import { oneLine } from '../terminal.ts';

const SHOWN = 50;

/** Runs the command. */
export const run: CommandRun = async (shell, args) => {
  const setup = await findSetup(shell, args);
  const [action, number] = [args.maybe('ACTION') ?? 'list', args.maybe('NUMBER')];
  if (action !== 'list' && !/^\d{1,15}$/.test(number ?? ''))
    throw usageError(`name a delivery by its number: "pawl deliveries ${action} 7"`);
  if (action === 'resend') await assertSettingsTrusted(shell, setup);
  return withProjectEvents(shell, { setup, acts: action === 'resend' }, (services) =>
    closing(openDeliveries(services), async (deliveries) => {
      if (action === 'list') return listed(shell, deliveries.list({ limit: SHOWN }));
      const delivery = action === 'resend' ? await deliveries.resend(Number(number)) : deliveries.get(Number(number));
      if (action === 'resend' && delivery.run !== null) await services.engine.run(delivery.run).wait('outside');
      const result = [delivery.status, oneLine(delivery.reason ?? ''), delivery.run === null ? '' : `run ${delivery.run}`].filter(
        (part) => part !== '',
      );
      return shell.result({ delivery: { ...deliveryJson(delivery), headers: delivery.headers, body: delivery.body } }, () => [
        `delivery ${delivery.number} of ${oneLine(delivery.route)}: ${result.join(', ')}`,
        ...(action === 'show' ? [oneLine(JSON.stringify(delivery.body))] : []),
      ]);
    }),
  );
};

function listed(shell: Shell, all: ReturnType<Deliveries['list']>): number {
  return shell.list({ deliveries: all.map(deliveryJson) }, all, {
    none: 'Nothing was received yet.',
    columns: {
      NUMBER: ({ number }) => String(number),
      ROUTE: ({ route }) => oneLine(route),
      DELIVERY: ({ delivery }) => oneLine(delivery),
      STATUS: ({ status }) => status,
      RUN: ({ run: started }) => started ?? '',
      WHY: ({ reason }) => oneLine(reason ?? ''),
    },
  });
}

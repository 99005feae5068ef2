// `pawl deliveries`: what was received at `/hooks/NAME`, with its result, and handling it again.

import { EngineError } from '../../base/error.ts';
import { openDeliveries, shownDelivery } from '../../server/events/events.ts';
import type { CommandRun } from '../command.ts';
import { assertSettingsTrusted } from '../forge/session.ts';
import { withProjectEvents } from '../serve/project-events.ts';
import { findPlace } from '../session.ts';
import { oneLine, table } from '../terminal.ts';

const SHOWN = 50;
const TITLES = ['NUMBER', 'ROUTE', 'DELIVERY', 'STATUS', 'RUN', 'WHY'];

/** Runs the command. */
export const run: CommandRun = async (shell, given) => {
  const place = await findPlace(shell, given);
  const [action, number] = [given.maybe('ACTION') ?? 'list', given.maybe('NUMBER')];
  if (action !== 'list' && !/^\d{1,15}$/.test(number ?? ''))
    throw new EngineError('USAGE', `name a delivery by its number: "pawl deliveries ${action} 7"`);
  if (action === 'resend') await assertSettingsTrusted(shell, place);
  return withProjectEvents(shell, { place, acts: action === 'resend' }, async (services) => {
    const deliveries = openDeliveries(services);
    try {
      if (action === 'list') {
        const all = deliveries.list({ limit: SHOWN });
        const rows = all.map(({ number: n, route, delivery, status, run: started, reason }) => [
          ...[String(n), oneLine(route), oneLine(delivery), status, started ?? '', oneLine(reason ?? '')],
        ]);
        return shell.result({ deliveries: all.map(shownDelivery) }, () =>
          all.length === 0
            ? ['Nothing was received yet.']
            : table(
                shell.look,
                TITLES.map((title, index) => ({ title, cells: rows.map((row) => row[index] ?? '') })),
              ),
        );
      }
      const one = action === 'resend' ? await deliveries.resend(Number(number)) : deliveries.get(Number(number));
      if (action === 'resend' && one.run !== null) await services.engine.run(one.run).wait('outside');
      return shell.result({ delivery: { ...shownDelivery(one), headers: one.headers, body: one.body } }, () => [
        `delivery ${one.number} of ${oneLine(one.route)}: ${one.status}${one.reason === null ? '' : `, ${oneLine(one.reason)}`}${one.run === null ? '' : `, run ${one.run}`}`,
        ...(action === 'show' ? [oneLine(JSON.stringify(one.body))] : []),
      ]);
    } finally {
      await deliveries.close();
    }
  });
};

// Limits what anyone can cause with unsigned deliveries: a secret is not fetched for each of them (its source may be a
// program), and the log gets a bounded number of lines about them, none of which contains what they sent unchanged.

import { randomBytes } from 'node:crypto';
import { EngineError } from '../../base/error.ts';
import { clockOf, type EventSettings } from './event-settings.ts';

/** How long a fetched secret is cached; a changed value counts after that. */
const KEPT_MS = 10_000;
const MINUTE_MS = 60_000;
const LINES_MAX = 10;

interface GuardParts {
  readonly events: EventSettings;
  readonly warn: (error: unknown) => void;
}

/** Guards the routes of deliveries. */
export class DeliveryGuard {
  private readonly parts: GuardParts;
  private readonly kept = new Map<string, { readonly at: number; readonly secret: Promise<string | Error> }>();
  private readonly minute = { since: Number.NEGATIVE_INFINITY, lines: 0, unlogged: 0 };
  /** Compared with the signature if there is no such hook, so that the response time reveals nothing. */
  readonly noSecret = randomBytes(32).toString('hex');

  constructor(parts: GuardParts) {
    this.parts = parts;
  }

  /** The value of a secret, or why there is none. The names come from the settings, so few are kept. */
  secret(name: string): Promise<string | Error> {
    const now = clockOf(this.parts.events).now();
    const known = this.kept.get(name);
    if (known !== undefined && now >= known.at && now - known.at < KEPT_MS) return known.secret;
    const { secret: fetchSecret } = this.parts.events;
    const secret =
      fetchSecret === undefined
        ? Promise.resolve(new Error('the server has no secrets'))
        : Promise.resolve()
            .then(() => fetchSecret(name))
            .catch((error: Error) => error);
    this.kept.set(name, { at: now, secret });
    return secret;
  }

  /** The error for a delivery that is not accepted. The reason goes to the log only. */
  refusal(name: string, why: string): EngineError {
    const now = clockOf(this.parts.events).now();
    const { minute } = this;
    if (now - minute.since >= MINUTE_MS || now < minute.since) Object.assign(minute, { since: now, lines: 0 });
    if (minute.lines < LINES_MAX) {
      const more = minute.unlogged === 0 ? '' : ` (${minute.unlogged} more were refused before)`;
      this.parts.warn(new EngineError('DELIVERY_REFUSED', `a delivery to the hook ${shown(name)} was refused: ${why}${more}`));
      Object.assign(minute, { lines: minute.lines + 1, unlogged: 0 });
    } else minute.unlogged += 1;
    return new EngineError('DELIVERY_REFUSED', 'this delivery is not accepted');
  }
}

/** A received name in printable form: unusual characters are replaced. */
function shown(name: string): string {
  return `"${name.slice(0, 60).replace(/[^\w.:-]+/g, '?')}"`;
}

// Limits failed logins: each address, and all of them together, have a number of attempts that is restored over time. Only
// failures count and only failures are limited: any site can make a browser send them from this machine, so they must not
// lock out a person with a valid secret.
//
// - Memory is bounded: above a number of addresses, the one with the oldest failure is dropped. The limit for all of them
//   still applies.

/** How many failures are allowed in a burst, and how long it takes until one more is allowed. */
interface Allowance {
  readonly failuresMax: number;
  readonly refillMs: number;
}

const PER_ADDRESS: Allowance = { failuresMax: 10, refillMs: 30_000 };
const OVERALL: Allowance = { failuresMax: 200, refillMs: 1_000 };
const ADDRESSES_MAX = 10_000;

interface Failures {
  readonly count: number;
  readonly at: number;
}

/** Counts failed logins. */
export class FailedLogins {
  private readonly now: () => number;
  private readonly byAddress = new Map<string, Failures>();
  private overall: Failures = { count: 0, at: 0 };

  constructor(now: () => number) {
    this.now = now;
  }

  /** How long this address must wait before its next attempt; 0 if it need not. */
  waitMs(address: string): number {
    const own = this.byAddress.get(groupOf(address));
    return Math.max(own === undefined ? 0 : this.waitOf(own, PER_ADDRESS), this.waitOf(this.overall, OVERALL));
  }

  /** Counts a failure. */
  failed(address: string): void {
    const key = groupOf(address);
    const before = this.byAddress.get(key) ?? { count: 0, at: this.now() };
    // The order of the map is the order of the last failure.
    this.byAddress.delete(key);
    this.byAddress.set(key, this.withFailure(before, PER_ADDRESS));
    this.overall = this.withFailure(this.overall, OVERALL);
    const [oldest] = this.byAddress.keys();
    if (this.byAddress.size > ADDRESSES_MAX && oldest !== undefined) this.byAddress.delete(oldest);
  }

  /** Forgets the failures of an address: its login succeeded. */
  succeeded(address: string): void {
    this.byAddress.delete(groupOf(address));
  }

  /** How many addresses are remembered. */
  get size(): number {
    return this.byAddress.size;
  }

  private withFailure(failures: Failures, allowance: Allowance): Failures {
    return { count: Math.min(this.outstanding(failures, allowance) + 1, allowance.failuresMax), at: this.now() };
  }

  private outstanding({ count, at }: Failures, { refillMs }: Allowance): number {
    // A clock that was set back must not lock anyone out until it has caught up.
    return Math.max(0, count - Math.max(0, this.now() - at) / refillMs);
  }

  private waitOf(failures: Failures, allowance: Allowance): number {
    const over = this.outstanding(failures, allowance) - (allowance.failuresMax - 1);
    return over <= 0 ? 0 : Math.ceil(over * allowance.refillMs);
  }
}

/** The key under which an address is counted: for IPv6 the /64 network, all of whose addresses have one owner. */
function groupOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  const whole = plain.includes('::')
    ? [...front, ...new Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'), ...back]
    : front;
  return whole.slice(0, 4).join(':');
}

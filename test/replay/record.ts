// Owns recording: drives small runs by fixed inputs and writes what the kernel of this release decided. A recording
// is written once per release and never again: `REPLAY_RECORD=0.1.0 npx vitest run test/replay`,
// then `npm run format`.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GraphDefinition } from '../../src/definition/model.ts';
import {
  child,
  delay,
  each,
  edge,
  graph,
  human,
  PROMISE,
  parallel,
  question,
  signal,
  step,
  to,
  validation,
} from '../kernel/definitions.ts';
import { control, decided, errored, settled } from '../kernel/inputs.ts';
import { type MemoryHost, startGraph } from '../kernel/memory-host.ts';

interface Recording {
  readonly definition: GraphDefinition;
  readonly params?: { readonly items: string[] };
  readonly play: (host: MemoryHost) => void;
}

const RECORDINGS: Readonly<Record<string, Recording>> = {
  'bounded-loop': {
    definition: graph(
      step('work', { retry: { max: 1, on: ['error'], backoff: { initialMs: 5, factor: 2, maxMs: 50 } }, next: to('review') }),
      step('review', { next: { ok: edge('complete'), iterate: edge('work', { max: 2 }) } }),
    ),
    play(host) {
      host.take(errored(host, 'work#1'));
      host.take({ type: 'due', at: 5 });
      for (const round of [1, 2, 3]) {
        host.take(settled(host, `work#${round}`, { output: { round } }));
        host.take(settled(host, `review#${round}`, { outcome: 'iterate' }));
      }
      host.take(control(host, { do: 'retry', extend: 1 }));
      host.take(settled(host, 'work#4'));
      host.take(settled(host, 'review#4', { output: { verdict: 'good' } }));
    },
  },
  'groups-and-people': {
    definition: graph(
      each('fan', { concurrency: 2, timeoutMs: 500, next: to('vote') }),
      parallel('vote', [step('a'), human('b'), signal('c', 'go')], {
        join: { rule: 'count', n: 2 },
        postconditions: [PROMISE],
        next: to('approve'),
      }),
      human('approve', { question: question({ show: ['n'] }), timeoutMs: 100, next: to('complete') }),
    ),
    params: { items: ['x', 'y', 'z'] },
    play(host) {
      host.take(settled(host, 'fan#1/y', { output: { n: 1 } }));
      host.take(settled(host, 'fan#1/x', { outcome: 'fail' }));
      host.take(settled(host, 'fan#1/z', { output: { n: 2 } }));
      host.take(control(host, { do: 'retry', note: 'again' }));
      host.take(settled(host, 'fan#1/x', { output: { n: 3 } }));
      host.take(decided(host, 'vote#1/b', { option: 'no' }));
      host.take({ type: 'signalled', at: 20, name: 'go' });
      host.take(settled(host, 'vote#1/a'));
      host.take(settled(host, 'vote#1'));
      host.take(decided(host, 'approve#1', { option: 'yes', at: 40 }));
    },
  },
  'crashes-and-repairs': {
    definition: graph(
      step('land', { recovery: 'ask', slots: ['main'], contractRetries: 1, next: to('verify') }),
      validation('verify', 2, { next: to('rest') }),
      delay('rest', { durationMs: 30, poll: { intervalMs: 10 } }, { next: to('complete') }),
    ),
    play(host) {
      host.take({ type: 'slot', at: 1, path: 'land#1' });
      host.take({ type: 'recovered', at: 2 });
      host.take(control(host, { do: 'resolve', path: 'land#1', how: 'rerun' }));
      host.take({ type: 'slot', at: 3, path: 'land#1' });
      host.take(errored(host, 'land#1', { reason: 'contract', message: 'nothing landed' }));
      host.take(settled(host, 'land#1'));
      host.take(settled(host, 'verify#1', { outcome: 'fail' }));
      host.take(control(host, { do: 'pause' }));
      host.take(settled(host, 'verify#1/fix#1'));
      host.take(control(host, { do: 'unpause' }));
      host.take(settled(host, 'verify#1'));
      host.take({ type: 'due', at: 12 });
      host.take(settled(host, 'rest#1', { outcome: 'fail' }));
    },
  },
  'cancelled-with-a-child': {
    definition: graph(parallel('fan', [child('kid', { timeoutMs: 60 }), step('x')], { next: to('complete') })),
    play(host) {
      host.take(settled(host, 'fan#1/x', { outcome: 'reject' }));
      const kid = host.at('fan#1/kid').wait?.run ?? '';
      host.take(control(host, { do: 'cancel', reason: 'no longer needed' }));
      host.take({ type: 'childEnded', at: 9, path: 'fan#1/kid', child: kid, status: 'cancelled' });
      host.take({ type: 'due', at: 10 });
    },
  },
};

/** Writes the histories of a release; files that exist are left as they are. */
export function recordRelease(release: string): void {
  const folder = join(import.meta.dirname, release);
  mkdirSync(folder, { recursive: true });
  for (const [name, { definition, params, play }] of Object.entries(RECORDINGS)) {
    const file = join(folder, `${name}.json`);
    if (existsSync(file)) continue;
    const host = startGraph(definition, params === undefined ? {} : { ...params });
    play(host);
    writeFileSync(file, `${JSON.stringify({ rows: host.rows, checkpoint: host.state }, null, 2)}\n`);
  }
}

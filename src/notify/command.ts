// Sends notifications to a program, as JSON on its standard input. Nothing is passed as an argument, so that a program cannot
// parse text of an agent as an option.

import { randomUUID } from 'node:crypto';
import { runCommand } from '../process/command.ts';
import type { Notifier } from './notifier.ts';

const TIMEOUT_MS = 30_000;
const OUTPUT_MAX = 4096;

/** Creates a notifier that starts a program. An exit code other than 0 means that the notification was not accepted. */
export function createCommandNotifier(argv: readonly string[]): Notifier {
  return {
    send: async (notice, signal) => {
      const mark = `notice-${randomUUID()}`;
      const stdin = `${JSON.stringify(notice)}\n`;
      const result = await runCommand({ argv, stdin, timeoutMs: TIMEOUT_MS, outputMax: OUTPUT_MAX, signal, mark });
      if (result.kind === 'timeout' || result.kind === 'aborted')
        return { kind: 'unknown', message: `${argv[0]} was stopped before it ended` };
      if (result.kind !== 'exited') return { kind: 'failed', message: `${argv[0]} could not be started`, isFinal: true };
      if (result.exitCode === 0) return { kind: 'sent' };
      return { kind: 'failed', message: `${argv[0]} ended with exit code ${result.exitCode}` };
    },
  };
}

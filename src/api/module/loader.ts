// The program of a process that loads one module and answers what it defines. What the module prints goes nowhere.

import { Worker } from 'node:worker_threads';
import { importWorkflow, loadFailure } from './import.ts';
import type { LoadRequest, LoadResult } from './load-apart.ts';

const PARENT_CHECK_MS = 250;

process.once('message', async ({ file, files, folder, parent }: LoadRequest) => {
  endWith(parent);
  // The module has no channel, as it has none when it is loaded to be run.
  const send = process.send?.bind(process);
  delete process.send;
  const answer = (result: LoadResult): void => void send?.(result, () => process.exit(0));
  try {
    const { definition } = await importWorkflow(file, files === undefined ? undefined : { file, files: new Map(files), folder });
    answer({ definition });
  } catch (error) {
    answer({ failure: loadFailure(error) });
  }
});

/** Ends this process when the one that started it is gone. A module that never ends blocks this thread, so another one looks. */
function endWith(parent: number): void {
  const code = `setInterval(() => process.ppid === ${parent} || process.kill(process.pid, 'SIGKILL'), ${PARENT_CHECK_MS});`;
  new Worker(code, { eval: true, execArgv: [], env: {} }).unref();
}

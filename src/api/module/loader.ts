// The program of a process that loads one module and answers what it defines. What the module prints goes nowhere.

import { importWorkflow, loadFailure } from './import.ts';
import type { LoadRequest, LoadResult } from './load-apart.ts';

process.once('message', async ({ file, parts }: LoadRequest) => {
  // The module has no channel, as it has none when it is loaded to be run.
  const send = process.send?.bind(process);
  delete process.send;
  const answer = (result: LoadResult): void => void send?.(result, () => process.exit(0));
  try {
    const { definition, children } = await importWorkflow(file, parts === undefined ? undefined : { file, parts: new Map(parts) });
    answer({ definition, children: [...children.keys()] });
  } catch (error) {
    answer({ failure: loadFailure(error) });
  }
});

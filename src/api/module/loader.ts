// The program of a process that loads modules and returns what they define. What they print is discarded.

import { Worker } from 'node:worker_threads';
import { claimProcess } from '../../base/own-process.ts';
import { describeWorkflow } from '../../definition/plain-workflow.ts';
import { importParts, importWorkflow, loadFailure } from './import.ts';
import { fromWire, type LoadAnswer, type LoadRequest } from './load-in-subprocess.ts';

const PARENT_CHECK_MS = 250;

claimProcess();

process.once('message', async (request: LoadRequest) => {
  endWith(request.parent);
  // The module has no channel, as it has none when it is loaded to be run.
  const send = process.send?.bind(process);
  delete process.send;
  const reply = (answer: LoadAnswer): void => void send?.(answer, () => process.exit(0));
  reply(await answerTo(request).catch((error: unknown) => ({ failure: loadFailure(error) })));
});

async function answerTo(request: LoadRequest): Promise<LoadAnswer> {
  if (request.ask === 'workflow') {
    const { file, content } = request;
    return { workflow: describeWorkflow(await importWorkflow(file, content === undefined ? undefined : fromWire(content))) };
  }
  const parts = await importParts(request.parts.map(fromWire));
  if (request.ask === 'parts') return { kinds: Object.keys(parts.kinds), checks: Object.keys(parts.checks) };
  const [{ checkYaml }, { registryWith }] = await Promise.all([
    import('../../authoring/yaml/check/check.ts'),
    import('../../kinds/registry.ts'),
  ]);
  const { compiled, ...checked } = checkYaml(request.file, request.text, registryWith(parts));
  return { checked, ...(compiled === undefined ? {} : { workflow: describeWorkflow(compiled) }) };
}

/** Ends this process when its parent has exited. A module that never returns blocks this thread, so a worker thread checks. */
function endWith(parent: number): void {
  const code = `setInterval(() => process.ppid === ${parent} || process.kill(process.pid, 'SIGKILL'), ${PARENT_CHECK_MS});`;
  new Worker(code, { eval: true, execArgv: [], env: {} }).unref();
}

// A flow with agents: an input is validated, an agent implements it, stages verify it with a step that fixes what they
// find, and the result is returned. The agents are live objects that write real files.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arg, step, workflow } from '../../src/index.ts';

/** The options of the workflow: the folder for its files, and how many of the fixes do not work. */
export interface Workshop {
  readonly directory: string;
  readonly badFixes?: number;
}

function validate(inputData: string): string {
  if (!/^[a-z][a-z0-9]*$/i.test(inputData)) throw new Error(`"${inputData}" is no name for a function`);
  return inputData;
}

class ImplementerAgent {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  execute({ task }: { readonly task: string }): object {
    writeFileSync(join(this.#directory, 'subject.mjs'), `export const ${task} = (text) => text.toLowercase();\n`);
    return { success: true, output: { file: 'subject.mjs', exports: task } };
  }
}

class FixerAgent {
  readonly #workshop: Workshop;
  #tries = 0;

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  execute({ task }: { readonly task: string }): object {
    this.#tries += 1;
    const call = this.#tries <= (this.#workshop.badFixes ?? 0) ? 'toUpperCase' : 'toLowerCase';
    writeFileSync(join(this.#workshop.directory, 'subject.mjs'), `export const ${task} = (text) => text.${call}();\n`);
    return { success: true, output: { tries: this.#tries } };
  }
}

/** The stages that `verify` names: the file must parse, and its function must work. */
export function stagesOf(task: string): Readonly<Record<string, readonly string[] | { argv: readonly string[] }>> {
  const check = `import('./subject.mjs').then((m) => { if (m.${task}('PoNd') !== 'pond') throw new Error('it is ' + m.${task}('PoNd')); })`;
  return { lint: { argv: [process.execPath, '--check', 'subject.mjs'] }, test: { argv: [process.execPath, '--eval', check] } };
}

/** Creates the workflow. */
export function createExample(workshop: Workshop, retry = 3) {
  return workflow(
    'example',
    { description: 'Example workflow', params: { inputData: arg({ type: 'string', required: true }) } },
    function* ({ inputData }) {
      const validated = yield* step('validate_input').task({ action: validate, args: [inputData] });

      const result = yield* step('implement').agent({
        agent: new ImplementerAgent(workshop.directory),
        context: { task: validated },
      });

      yield* step('verify').validate({
        stages: ['lint', 'test'],
        retry,
        onFailure: step('fix').agent({ agent: new FixerAgent(workshop), context: { task: validated } }),
      });

      return result;
    },
  );
}

// Owns the SKILL.md that Pawl writes for a skill or a workflow: front matter for agent programs, and a body that starts the
// engine. It does not repeat the steps, because that text would become outdated.

import { jsonText } from '../base/json.ts';
import type { ArgSpecs } from '../definition/param/arg.ts';

/** The name of the file. */
export const SKILL_FILE = 'SKILL.md';

/** The data of a skill in its SKILL.md. */
interface SkillHead {
  readonly name: string;
  readonly description: string;
  readonly params: ArgSpecs;
}

/** How the skill is carried out: as a run that the engine stores and checks, or step by step without state. */
export type SkillForm =
  | { readonly form: 'durable'; readonly workflow?: string }
  | { readonly form: 'stateless'; readonly totalSteps: number };

/** The text of a SKILL.md. `call` is the command that starts the program: `pawl` or `npx pawl`. */
export function skillFileText(head: SkillHead, { call = 'pawl', ...how }: SkillForm & { readonly call?: string }): string {
  const { name, description, params } = head;
  const body = how.form === 'durable' ? durableBody(how.workflow ?? name, call) : statelessBody(name, call, how.totalSteps);
  return [
    ...['---', `name: ${name}`, `description: ${yamlText(description)}`, '---', '', `# ${name}`, ''],
    ...['Run this command now, before you read or explore anything:', '', `    ${body.command}`, ''],
    ...paramLines(params),
    ...body.lines,
    '',
  ].join('\n');
}

interface Body {
  readonly command: string;
  readonly lines: readonly string[];
}

function durableBody(workflow: string, call: string): Body {
  return {
    command: `${call} run ${workflow} --attended`,
    lines: [
      'It prints one step. Do exactly what the step says, then report it with the command that it names: the engine checks the work and prints the next step, or what is missing. Continue until it says that the run has ended. You get the steps only this way: do not guess, skip or reorder them.',
      '',
      `When the run waits for a person, tell them what it waits for, and stop. To continue a run that was started earlier, or if you have lost your place, run \`${call} next\`.`,
    ],
  };
}

function statelessBody(name: string, call: string, totalSteps: number): Body {
  return {
    command: `${call} skill step ${name} --step 1 --total-steps ${totalSteps}`,
    lines: [
      'It prints one step: do exactly what it says, then run the command that it names, until it prints COMPLETE. You get the steps only this way: do not guess, skip or reorder them.',
    ],
  };
}

function paramLines(params: ArgSpecs): string[] {
  const rows = Object.entries(params).map(([name, { description, choices, required }]) => {
    const values = choices === undefined ? [] : [choices.map((choice) => jsonText(choice)).join(' | ')];
    const says = oneLine([description ?? '', ...values].filter((text) => text !== '').join('; '));
    return `- \`-p ${oneLine(name)}=…\`${required ? ' (required)' : ''}: ${says || 'a value'}`;
  });
  return rows.length === 0 ? [] : ['Add what the person asked for to the command:', '', ...rows, ''];
}

/** A text on one line, so that it cannot begin a paragraph, a heading or a block that an agent follows. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** A text as YAML: plain if all parsers read it the same, because some agent programs only support plain texts. */
function yamlText(text: string): string {
  const isPlain = /^[A-Za-z][^\n\r\t"'\\]*[^\s:]$/.test(text) && !/: | #/.test(text);
  return isPlain ? text : JSON.stringify(text);
}

// Owns `pawl skill export`: a SKILL.md for a workflow of the project, so that agent programs find it and start it attended.
// The workflow is not run, so it need not be trusted until it is started.

import { readFileSync } from 'node:fs';
import type { DiscoveredWorkflow } from '../../authoring/discover/outline.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { ArgSpecs } from '../../definition/param/arg.ts';
import { skillFileText } from '../../skills/skill-file-text.ts';
import { descriptionFault, nameFault } from '../../skills/skill-name.ts';
import { type ParsedArgs, usageError } from '../command.ts';
import { discoverProject } from '../definitions.ts';
import { compileDeclared, workflowDuplicate, workflowUnknown } from '../load.ts';
import type { Project } from '../project.ts';
import type { Shell } from '../shell.ts';
import { reportFiles, writeInto } from './install.ts';
import { markedFile } from './installed.ts';
import { nameOf } from './step.ts';
import { targetsOf } from './targets.ts';

/** Writes a SKILL.md that starts a workflow. */
export async function exportWorkflow(shell: Shell, project: Project, args: ParsedArgs): Promise<number> {
  const workflow = await workflowNamed(shell, project, nameOf(args));
  const name = skillName(workflow.name);
  const head = { name, description: describe(workflow), params: await paramsOf(project, workflow) };
  const text = markedFile(skillFileText(head, { form: 'durable', workflow: shellWord(workflow.name), call: shell.program }));
  return reportFiles(shell, args, writeInto(targetsOf(shell, project, args), { name, text }, args));
}

async function workflowNamed(shell: Shell, project: Project, name: string): Promise<DiscoveredWorkflow> {
  const { workflows } = await discoverProject(project);
  const found = workflows.filter((workflow) => workflow.name === name);
  const [first, second] = found;
  if (second !== undefined)
    throw workflowDuplicate(
      shell,
      name,
      found.map(({ file }) => file),
    );
  if (first !== undefined) return first;
  throw workflowUnknown(name, { where: ` in ${project.root}`, names: workflows.map((workflow) => workflow.name), unread: [] });
}

function skillName(workflow: string): string {
  const name = workflow
    .normalize('NFKD')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const fault = /[\p{Cc}\p{Zl}\p{Zp}]/u.test(workflow) ? 'it has a line break or a control character' : nameFault(name);
  if (fault === undefined) return name;
  throw usageError(
    `the workflow ${JSON.stringify(workflow)} cannot be a skill under its name: ${fault}; give the workflow a name of at most 64 letters, digits and hyphens`,
  );
}

const DESCRIPTION_MAX = 1024;

/** What the workflow does and when to use it, which is all that agent programs see before they load it. */
function describe({ name, title, description }: DiscoveredWorkflow): string {
  const summary = (description.trim() || title.trim() || name).replace(/\s+/g, ' ');
  const when = `Use it when the person asks for "${name}".`;
  const sentence = /[.!?]$/.test(summary) ? summary : `${summary}.`;
  const text = /\buse (?:it|this|when)\b/i.test(summary) ? sentence : `${sentence} ${when}`;
  if (descriptionFault(text) === undefined) return text;
  throw usageError(
    `the description of the workflow "${name}" has ${summary.length} characters; a skill may have ${DESCRIPTION_MAX} with the sentence ${JSON.stringify(when)}; shorten it`,
  );
}

/** The parameters that a YAML file declares; those of a module are only known by running it. */
async function paramsOf(project: Project, { file }: DiscoveredWorkflow): Promise<ArgSpecs> {
  if (!/\.ya?ml$/.test(file)) return {};
  const compiled = await compileDeclared(project, file, readFileSync(file, 'utf8'));
  return typeof compiled === 'string' ? {} : (compiled.definition.params as ArgSpecs);
}

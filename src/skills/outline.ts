// Reads the module of a skill without running it: the name, the description and the number of steps in its call of
// `defineSkill`.

import type { AnyNode } from 'acorn';
import { ModuleNames, propertyOf } from '../authoring/discover/names.ts';
import { isParsed, parseModule, type SourceProblem } from '../authoring/discover/syntax.ts';

/** The outline of a skill. Values that are only known by running the module are undefined. */
interface SkillOutline {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly totalSteps: number | undefined;
}

/** Reads the module of a skill. */
export async function readSkillOutline(file: string, text: string): Promise<SkillOutline | SourceProblem> {
  const module = await parseModule(file, text);
  if (!isParsed(module)) return module;
  const names = new ModuleNames(module.tree);
  const exported = module.tree.body.find((statement) => statement.type === 'ExportDefaultDeclaration');
  const call = exported === undefined ? undefined : names.follow(exported.declaration);
  if (call?.type !== 'CallExpression' || names.imported(call.callee)?.name !== 'defineSkill')
    return {
      code: 'ENTRY_MISSING',
      message: 'it does not export a skill',
      hint: "write export default defineSkill({ … }), with defineSkill from 'pawl/skills'",
      line: 1,
      column: 1,
    };
  const [first] = call.arguments;
  const spec = first === undefined ? undefined : names.follow(first);
  const fieldOf = (key: string): AnyNode | undefined => (spec?.type === 'ObjectExpression' ? propertyOf(spec, key)?.value : undefined);
  return {
    name: names.text(fieldOf('name')),
    description: names.text(fieldOf('description')),
    totalSteps: lengthOf(names, fieldOf('steps')),
  };
}

/** The length of a list literal. */
function lengthOf(names: ModuleNames, node: AnyNode | undefined): number | undefined {
  const list = node === undefined ? undefined : names.follow(node);
  if (list?.type !== 'ArrayExpression') return undefined;
  return list.elements.every((element) => element !== null && element.type !== 'SpreadElement') ? list.elements.length : undefined;
}

// Reads the step kinds and gate checks of a project from their modules without running them: the calls of `defineStepKind`
// and `defineCheck`, and the facts about them that workflow files need.

import type { AnyNode, CallExpression, ObjectExpression } from 'acorn';
import { omitUndefined } from '../../base/fields.ts';
import type { CustomKind } from '../../definition/custom-kind.ts';
import { ModuleNames, propertyOf } from './names.ts';
import { type FilePosition, isParsed, type ParsedModule, parseModule, placeAt, type SourceProblem } from './syntax.ts';

/** A step kind or a gate check as its module declares it. */
export interface DeclaredPart extends FilePosition {
  readonly part: 'kind' | 'check';
  readonly name: string;
  readonly file: string;
  /** The additional outcomes of a kind. */
  readonly outcomes: readonly string[];
  readonly recovery: CustomKind['recovery'];
  /** Whether a check needs a pull request. */
  readonly needsPullRequest: boolean;
  /** The forge events after which the check runs again. */
  readonly reactiveEvents?: readonly string[];
}

const PARTS: ReadonlyMap<string, { readonly part: DeclaredPart['part']; readonly key: string }> = new Map([
  ['defineStepKind', { part: 'kind', key: 'kind' }],
  ['defineCheck', { part: 'check', key: 'name' }],
]);

/** The step kinds and gate checks that a module defines, and problems that prevent reading some of them. */
export async function readDeclaredParts(
  file: string,
  text: string,
): Promise<{ readonly parts: readonly DeclaredPart[]; readonly problems: readonly SourceProblem[] }> {
  const module = await parseModule(file, text);
  if (!isParsed(module)) return { parts: [], problems: [module] };
  const names = new ModuleNames(module.tree);
  const read = exportedExpressions(module).flatMap((node) => {
    const call = names.follow(node);
    return call.type === 'CallExpression' ? (readPart(module, names, call) ?? []) : [];
  });
  const parts = read.filter((part) => 'part' in part);
  const problems = read.filter((part) => 'code' in part);
  return { parts, problems: read.length === 0 ? [noPart()] : problems };
}

function exportedExpressions({ tree }: ParsedModule): AnyNode[] {
  return tree.body.flatMap((statement): AnyNode[] => {
    if (statement.type === 'ExportDefaultDeclaration') return [statement.declaration];
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) return [];
    const declared = statement.declaration?.type === 'VariableDeclaration' ? statement.declaration.declarations : [];
    return [...statement.specifiers.map(({ local }) => local), ...declared.flatMap(({ init }) => init ?? [])];
  });
}

function readPart(module: ParsedModule, names: ModuleNames, call: CallExpression): DeclaredPart | SourceProblem | undefined {
  const form = PARTS.get(names.imported(call.callee)?.name ?? '');
  if (form === undefined) return undefined;
  const [first] = call.arguments;
  const argument = first === undefined ? undefined : names.follow(first);
  const spec = argument?.type === 'ObjectExpression' ? argument : undefined;
  const name = names.text(propertyOf(spec, form.key)?.value);
  const outcomes = textsOf(names, spec, 'outcomes');
  const reactive = propertyOf(spec, 'reactiveEvents') === undefined ? undefined : textsOf(names, spec, 'reactiveEvents');
  const place = placeAt(module.text, call.start);
  if (name === undefined) return notStatic(`\`${form.key}\` must be a string literal`, `write ${form.key}: 'deploy'`, place);
  if (outcomes === undefined) return notStatic('`outcomes` must be a list of string literals', "write outcomes: ['busy']", place);
  const policy = names.text(propertyOf(spec, 'recovery')?.value);
  const recovery = policy === 'rerun' ? policy : 'ask';
  const needsPullRequest = propertyOf(spec, 'needsPullRequest') !== undefined;
  return {
    part: form.part,
    name,
    file: module.file,
    outcomes,
    recovery,
    needsPullRequest,
    ...omitUndefined({ reactiveEvents: reactive }),
    ...place,
  };
}

function textsOf(names: ModuleNames, spec: ObjectExpression | undefined, field: string): readonly string[] | undefined {
  const value = propertyOf(spec, field)?.value;
  if (value === undefined) return [];
  const list = names.follow(value);
  const texts = list.type === 'ArrayExpression' ? list.elements.map((element) => names.text(element ?? undefined)) : [undefined];
  return texts.includes(undefined) ? undefined : (texts as string[]);
}

function notStatic(rule: string, hint: string, place: FilePosition): SourceProblem {
  return { code: 'NAME_UNSEEN', message: `${rule}, so that it can be read without running the file`, hint, ...place };
}

function noPart(): SourceProblem {
  return {
    code: 'ENTRY_MISSING',
    message: 'the file must export a step kind or a check',
    hint: 'write export const deploy = defineStepKind({ … }), or export const licences = defineCheck({ … }); a module that only helps others belongs in lib/',
    line: 1,
    column: 1,
  };
}

/** Reports parts with the same name, or with the name of a built-in, at each file. */
export function partClashes(
  parts: readonly DeclaredPart[],
  builtIn: { readonly kinds: object; readonly checks: object },
): (SourceProblem & { readonly file: string })[] {
  return parts.flatMap(({ part, name, file, line, column }) => {
    const label = part === 'kind' ? 'step kind' : 'gate check';
    const others = parts.filter((other) => other.part === part && other.name === name && (other.file !== file || other.line !== line));
    const isBuiltIn = Object.hasOwn(part === 'kind' ? builtIn.kinds : builtIn.checks, name);
    if (others.length === 0 && !isBuiltIn) return [];
    const where = others.map((other) => `in ${other.file}:${other.line}`);
    const message = `two ${label}s are called "${name}": one is here, one ${[...(isBuiltIn ? ['is built in'] : []), ...where].join(' and one ')}`;
    return [{ file, code: part === 'kind' ? 'KIND_DUPLICATE' : 'CHECK_DUPLICATE', message, hint: 'rename one of them', line, column }];
  });
}

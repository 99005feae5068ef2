// Owns the rule that a kind of step, or a check, is named in its folder and in the registry only. What is true of a kind
// is in its declaration, so that adding one changes nothing elsewhere.
//
// The kinds that the kernel leads itself are a closed union in `definition/model.ts`, with fields of their own; whoever
// walks over steps tells them apart by name. A table of kinds is refused for them as well.

import { at, isTest, nodesOf, type Source, type SyntaxNode } from './source.ts';

/** The names that the rule is about. */
export interface KindNames {
  readonly kinds: ReadonlySet<string>;
  readonly checks: ReadonlySet<string>;
}

/** Kinds with fields of their own in the model of a step. */
const LED_BY_KERNEL: ReadonlySet<string> = new Set(['human', 'parallel', 'each', 'delay', 'workflow', 'signal', 'validate']);

/** The files that may name a kind or a check, with the reason. One that no longer does is refused. */
export const MAY_NAME: Readonly<Record<string, string>> = {
  'src/api/forge-link.ts': 'which news of the forge concern a merge, and which a gate that looks just now',
  'src/attended/attended-run.ts': 'a face: how the result of a text is asked for; it knows the work by what was stored',
  'src/authoring/yaml/check/check.ts': 'where in a file the group of an approval is written',
  'src/authoring/yaml/write/stage.ts': 'hooks and messages of a file are actions',
  'src/authoring/yaml/write/transition.ts': '`spawn` of a transition is an agent',
  'src/cli/attended/rendering.ts': 'a face: how the result of a text is asked for',
  'src/cli/commands/demo.ts': 'the demo tells of its own steps',
  'src/cli/demo/narration.ts': 'the demo tells of its own steps',
  'src/control/review-round.ts': 'a report about reviews',
  'src/control/run/report.ts': 'a report about gates',
  'src/definition/validation/reference.ts': 'reads the typed configuration of an approval',
  'src/definition/validation/blocked-work.ts': 'reads the typed configuration of a command',
  'src/definition/validation/gate-warnings.ts': 'reads the typed configuration of a command',
  'src/server/surface/asked-people.ts': 'a `kind` of its own, which is no kind of step',
  'src/server/surface/step/checks.ts': 'a report about gates and questions',
  'src/steps/context.ts': 'a task of a flow is the path of every step, and loads no record',
  'src/steps/worker/handover.ts': 'how a report is read, from what was stored with the work',
  'src/steps/instructions/instructions.ts': 'what a gate decided is told elsewhere',
  'src/steps/instructions/preview.ts': 'reads the typed configuration of agents and generators',
  'src/steps/workspace/tree-verdict.ts': 'reads the typed configuration of an agent; a task of a flow may be one of thousands',
  'src/steps/outputs/declaration.ts': 'reads the typed configuration of an agent',
  'src/steps/protection/gate-files.ts': 'reads the typed configuration of a command',
  'src/steps/template-rendering.ts': 'renders the typed configuration of a command',
  'src/steps/worker/reply-rules.ts': 'only an agent is a reviewer by its transitions',
};

/** Folders that may: what they hold are tests that are shipped. */
const TESTS = 'src/proof/';

/** The names of the kinds and checks, from the paths of their declarations. */
export function kindNames(paths: readonly string[]): KindNames {
  const names = (pattern: RegExp): Set<string> => new Set(paths.flatMap((path) => pattern.exec(path)?.[1]?.replaceAll('-', '_') ?? []));
  return { kinds: names(/^src\/kinds\/([a-z-]+)\/declare\.ts$/), checks: names(/^src\/kinds\/gate\/checks\/([a-z-]+)\/declare\.ts$/) };
}

/** Where one file decides something by the name of a kind or a check. */
export function kindNameViolations(source: Source, names: KindNames): string[] {
  const { path } = source;
  if (!path.startsWith('src/') || path.startsWith('src/kinds/') || path.startsWith(TESTS) || isTest(path)) return [];
  const found = new Map<number, string>();
  for (const { node, parent } of nodesOf(source)) for (const one of namedIn(node, parent, names)) found.set(one.start, one.value);
  if (path in MAY_NAME) return found.size > 0 ? [] : [`${path} names no kind any more; remove it from test/tidy/kind-names.ts`];
  return [...found].map(([start, name]) =>
    at(source, start, `decides by the name "${name}"; say it in the declaration of the kind or check, and ask that`),
  );
}

interface TextLiteral extends SyntaxNode {
  readonly value: string;
}

function namedIn(node: SyntaxNode, parent: SyntaxNode | undefined, names: KindNames): TextLiteral[] {
  const isExecuted = ({ value }: TextLiteral): boolean => names.kinds.has(value) && !LED_BY_KERNEL.has(value);
  if (isText(node)) return names.checks.has(node.value) && node.value.includes('_') && parent?.type !== 'Property' ? [node] : [];
  switch (node.type) {
    case 'CallExpression':
      return isField(node.callee, 'isBuiltIn') ? textsOf(node.arguments as readonly unknown[]) : [];
    case 'BinaryExpression':
      if (isField(node.left, 'check')) return textsOf([node.right]).filter(({ value }) => names.checks.has(value));
      return isField(node.left, 'kind') ? textsOf([node.right]).filter(isExecuted) : [];
    case 'SwitchStatement': {
      const tests = textsOf((node.cases as readonly SyntaxNode[]).map(({ test }) => test));
      return isField(node.discriminant, 'kind') ? tests.filter(isExecuted) : [];
    }
    case 'ArrayExpression':
      return table(textsOf(node.elements as readonly unknown[]), names);
    case 'ObjectExpression':
      return table(textsOf((node.properties as readonly SyntaxNode[]).map(({ key }) => keyText(key))), names, 3);
    default:
      return [];
  }
}

/** A list or a map of nothing but kinds, or nothing but checks. */
function table(texts: readonly TextLiteral[], { kinds, checks }: KindNames, least = 2): TextLiteral[] {
  const isTable = texts.length >= least && (texts.every(({ value }) => kinds.has(value)) || texts.every(({ value }) => checks.has(value)));
  return isTable ? texts.slice(0, 1) : [];
}

function keyText(key: unknown): unknown {
  const node = key as SyntaxNode | undefined;
  return node?.type === 'Identifier' ? { ...node, type: 'Literal', value: node.name } : node;
}

function textsOf(nodes: readonly unknown[]): TextLiteral[] {
  return nodes.filter(isText);
}

function isText(node: unknown): node is TextLiteral {
  const { type, value } = (node ?? {}) as Partial<SyntaxNode>;
  return type === 'Literal' && typeof value === 'string';
}

/** `kind`, `step.kind` or `step?.kind`. */
function isField(node: unknown, name: string): boolean {
  const { type, expression, property, name: own } = (node ?? {}) as Partial<SyntaxNode>;
  if (type === 'ChainExpression') return isField(expression, name);
  return type === 'Identifier' ? own === name : type === 'MemberExpression' && isField(property, name);
}

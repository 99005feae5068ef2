// Shows what the kinds of steps contribute to the API: a type that is put together from a part of each kind
// (`KindParts`) is shown with all of those parts, and the list of the kinds with the type of each.

import { importedTypes, type Module, showDeclaration, typeMember } from './api-declaration.ts';

const LIST = 'src/kinds/spec.ts';
const TOGETHER = /\b(interface .+?) extends KindParts<'(\w+)'.*?> \{\}/;

/** The code of a declaration, with what the kinds contribute to it. */
export function withKinds(code: string, load: (path: string) => Module): string {
  const [whole, head = '', part = ''] = TOGETHER.exec(code) ?? [];
  if (whole !== undefined) return code.replace(whole, () => together(head, part, load));
  return code.startsWith('interface Kinds<') ? [code, ...kinds(load).map(({ code: own }) => own)].join('\n\n') : code;
}

interface KindOfStep {
  readonly module: Module;
  readonly name: string;
  readonly code: string;
}

function kinds(load: (path: string) => Module): KindOfStep[] {
  const list = load(LIST);
  const { code = '' } = showDeclaration(list, 'Kinds') ?? {};
  const listed = importedTypes(list).filter(({ from }) => from.startsWith('./'));
  const inOrder = listed.sort((a, b) => code.indexOf(`: ${a.name}`) - code.indexOf(`: ${b.name}`));
  return inOrder.map(({ name, from }) => {
    const module = load(`src/kinds/${from.slice(2)}`);
    return { module, name, code: withFields(showDeclaration(module, name)?.code ?? '', module) };
  });
}

/** The type of a check with its fields, which its module adds to the configurations of checks. */
function withFields(code: string, { text }: Module): string {
  return code.replace(/CheckConfigs\['(\w+)'\]/, (whole, check) => new RegExp(`\\b${check}: (\\{[^}]*\\});`).exec(text)?.[1] ?? whole);
}

/** An interface with one part of all kinds: the members that are written out, and the names of other types. */
function together(head: string, part: string, load: (path: string) => Module): string {
  const parts = kinds(load).flatMap(({ module, name }) => typeMember(module, name, part) ?? []);
  const literals = parts.filter((text) => text.startsWith('{')).map((text) => text.slice(1, -1).replace(/^\n|\s+$/g, ''));
  const named = parts.filter((text) => !text.startsWith('{'));
  const bases = named.length === 0 ? '' : ` extends ${named.join(', ')}`;
  return `${head}${bases} {\n${literals.map((text) => members(text)).join('\n')}\n}`;
}

/** Members with the indent of an interface; those of a literal in one line get a line. */
function members(text: string): string {
  return text.includes('\n') ? text.replace(/^ {2}/gm, '') : `  ${text.trim().replace(/;?$/, ';')}`;
}

// Owns names and words: what a file may be called, where an index may be, that a file says what it owns and that every
// export says what it is.

import { at, isTest, type Source, type SyntaxNode } from './source.ts';

const VAGUE = new Set(['types', 'type', 'util', 'utils', 'helper', 'helpers', 'common', 'shared', 'misc', 'manager']);
const FILE_NAME = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config))?\.(ts|tsx|js)$/;

/** Paths that name no concept, and an index that is no published entry. */
export function nameViolations(path: string, publishedEntries: readonly string[]): string[] {
  const found: string[] = [];
  const parts = path.split('/');
  const file = parts.at(-1) as string;
  const vague = parts.find((part) => VAGUE.has(part.replace(/(\.test)?\.(ts|tsx|js)$/, '')));
  if (vague !== undefined) found.push(`${path} is named "${vague}"; name the concept it owns`);
  if (!FILE_NAME.test(file)) found.push(`${path} is not named in kebab-case`);
  if (/-(part-)?\d+\.ts$/.test(file)) found.push(`${path} is numbered; split by concept and name it`);
  if (file === 'index.ts' && !publishedEntries.includes(path)) found.push(`${path} is an index, but package.json does not publish it`);
  return found;
}

// Irregular participles; the regular ones end in "ed". Names such as `Setting` are nouns.
const IRREGULAR =
  /^(?:Begun|Bound|Broken|Built|Chosen|Done|Drawn|Found|Given|Heard|Held|Kept|Known|Lost|Made|Met|Said|Seen|Sent|Shown|Spent|Taken|Told|Written)$/;
const NOUNS = new Set(['Need', 'Seed', 'Feed']);

/** Types with only a participle as their name: `Held` does not say what is held; `PendingResult` does. */
export function participleViolations(source: Source): string[] {
  if (!/^src\//.test(source.path) || isTest(source.path)) return [];
  return [...source.text.matchAll(/^(?:export )?(?:abstract )?(?:interface|type|class) ([A-Z][a-z]+)\b/gm)].flatMap(
    ({ 1: name = '', index }) => {
      const isParticiple = (/ed$/.test(name) && !NOUNS.has(name)) || IRREGULAR.test(name);
      return isParticiple ? [at(source, index, `names a type ${name}; say what it is`)] : [];
    },
  );
}

/** Re-exports, which give one thing two homes; only published entries and the list of their types may have them. */
export function reExportViolations(source: Source): string[] {
  const mayReExport = /\/index\.ts$|^src\/(?:index|parts)\.ts$/.test(source.path);
  if (!/^src\//.test(source.path) || isTest(source.path) || mayReExport) return [];
  const lists = source.body.filter(
    ({ type, declaration }) => type === 'ExportAllDeclaration' || (type === 'ExportNamedDeclaration' && !declaration),
  );
  return lists.map(({ start }) => at(source, start, 'exports what another file owns; import it from there'));
}

/** True for code that users get. */
function isShipped({ path }: Source): boolean {
  return /^(?:src|dashboard\/src)\//.test(path) && !isTest(path);
}

/** A shipped file that does not open by saying what it owns. */
export function headerViolations(source: Source): string[] {
  if (!isShipped(source)) return [];
  const first = source.comments[0];
  const opens = first !== undefined && source.text.slice(0, first.start).trim() === '' && !first.value.startsWith('*');
  return opens ? [] : [at(source, 0, 'does not open with a comment that says what the file owns')];
}

/** Exports of a shipped file that carry no doc comment. Re-exports are documented where they are made. */
export function docViolations(source: Source): string[] {
  if (!isShipped(source)) return [];
  return source.body.flatMap((statement, index) => {
    if (!/^Export(Named|Default)Declaration$/.test(statement.type) || statement.source) return [];
    if (statement.declaration) return undocumented(source, statement, source.body[index - 1]);
    return listedNames(statement).flatMap((name) => undocumentedLocal(source, name));
  });
}

function undocumented(source: Source, statement: SyntaxNode, before: SyntaxNode | undefined): string[] {
  const name = declaredNames(statement)[0] ?? 'default';
  const isLaterOverload = before !== undefined && overloadName(before) === name;
  return isLaterOverload || hasDoc(source, statement) ? [] : [at(source, statement.start, `exports ${name} without a doc comment`)];
}

function overloadName(statement: SyntaxNode): string | undefined {
  const declaration = statement.declaration as SyntaxNode | undefined;
  return declaration?.type === 'TSDeclareFunction' ? declaredNames(statement)[0] : undefined;
}

function undocumentedLocal(source: Source, name: string): string[] {
  const declaration = source.body.find((statement) => declaredNames(statement).includes(name));
  if (declaration === undefined || hasDoc(source, declaration)) return [];
  return [at(source, declaration.start, `exports ${name} without a doc comment`)];
}

function listedNames(statement: SyntaxNode): string[] {
  return ((statement.specifiers ?? []) as { local: { name: string } }[]).map((specifier) => specifier.local.name);
}

function declaredNames(statement: SyntaxNode): string[] {
  const declaration = (statement.declaration ?? statement) as { id?: { name?: string }; declarations?: { id: { name?: string } }[] };
  const names = declaration.declarations?.map(({ id }) => id.name) ?? [declaration.id?.name];
  return names.filter((name) => name !== undefined);
}

function hasDoc(source: Source, statement: SyntaxNode): boolean {
  const doc = source.comments.findLast((comment) => comment.end <= statement.start);
  return doc?.type === 'Block' && doc.value.startsWith('*') && source.text.slice(doc.end, statement.start).trim() === '';
}

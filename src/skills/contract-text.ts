// Owns the block that says when a step is done: its contract, in short form. The stateless form and a run print the same
// block, and a run checks the same contract.

import { isJsonObject, type Json, type JsonObject, jsonText } from '../base/json.ts';
import { nestedElement } from '../base/xml.ts';
import {
  commandLine,
  type DocumentContract,
  filledContract,
  isJsonDocument,
  MIN_WORDS,
  nameText,
  QUOTE_CHARACTERS_MIN,
  type SectionContract,
  type StepContract,
} from '../definition/contract/step-contract.ts';

/** `<done_when>`: the checks of a reported step. */
export function formatDoneWhen(contract: StepContract, params: JsonObject): string | undefined {
  const { documents = [], changes = [], report } = filledContract(contract, params);
  const command = contract.command === undefined ? undefined : commandLine(contract.command, params);
  const lines = [
    ...documents.map(documentLine),
    ...(changes.length === 0 ? [] : [`a file that matches ${changes.join(' or ')} has changed`]),
    ...(report === undefined ? [] : [`the report is JSON: ${schemaText(report)}`]),
    ...(command === undefined ? [] : [`\`${command}\` ends with 0`]),
  ];
  if (lines.length === 0) return undefined;
  return nestedElement(
    'done_when',
    {},
    lines.map((line) => `- ${escaped(line)}`),
  );
}

/** Escapes a text except its quotes, which are valid between tags and take fewer tokens. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function documentLine(document: DocumentContract): string {
  const { path, sections = [], minWords, ids, references = [], quotes, json, plan, frozen } = document;
  const words = minWords ?? (isJsonDocument(document) || wordsInSections(sections) >= MIN_WORDS ? undefined : MIN_WORDS);
  const needs = [
    ...(sections.length === 0 ? [] : [`sections ${sections.map(sectionText).join(', ')}`]),
    ...(words === undefined ? [] : [`${words}+ words`]),
    ...(ids === undefined ? [] : [`${countText(ids)} ${nameText(ids.pattern).replace(/^name/, 'names')}`]),
    ...references.map(({ pattern, to, all }) =>
      all === true ? `every ${nameText(pattern)} of ${to}` : `no ${nameText(pattern)} that ${to} does not have`,
    ),
    ...(quotes === undefined
      ? []
      : [`${quotes}+ block quotes of ${QUOTE_CHARACTERS_MIN}+ characters, each with its source as last line (— path:line)`]),
    ...(json === undefined ? [] : [`JSON: ${schemaText(json)}`]),
    ...(plan === true ? ['a plan whose references exist'] : []),
    ...(frozen === true ? ['written once, then unchanged'] : []),
  ];
  return needs.length === 0 ? path : `${path}: ${needs.join('; ')}`;
}

/** How many words the sections need together. If they are enough, the document needs no minimum. */
function wordsInSections(sections: readonly (string | SectionContract)[]): number {
  return sections.reduce((sum, section) => sum + (typeof section === 'string' ? 0 : (section.minWords ?? 0)), 0);
}

function countText({ min, max }: NonNullable<DocumentContract['ids']>): string {
  if (max === undefined) return `${min}+`;
  return min === max ? String(min) : `${min} to ${max}`;
}

function sectionText(section: string | SectionContract): string {
  if (typeof section === 'string') return `"${section}"`;
  const { title, minWords, minItems } = section;
  const needs = [...(minItems === undefined ? [] : [`${minItems}+ items`]), ...(minWords === undefined ? [] : [`${minWords}+ words`])];
  return needs.length === 0 ? `"${title}"` : `"${title}" (${needs.join(', ')})`;
}

/** The short form of a schema: `{ id, severity: MUST | SHOULD, notes?: [ text ] }`. */
function schemaText(schema: Json): string {
  if (!isJsonObject(schema)) return 'anything';
  const { enum: words, const: only, type, items, minItems, anyOf } = schema as { readonly [name: string]: Json | undefined };
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(words)) return words.map((word) => jsonText(word)).join(' | ');
  if (Array.isArray(anyOf)) return anyOf.map((part) => schemaText(part as Json)).join(' or ');
  if (type === 'array') {
    const count = typeof minItems === 'number' && minItems > 0 ? `${minItems}+ of ` : '';
    return `[ ${count}${schemaText(items ?? {})} ]`;
  }
  if (isJsonObject(schema.properties ?? null)) return objectText(schema);
  return type === 'string' ? 'text' : typeof type === 'string' ? type : Array.isArray(type) ? type.join(' | ') : 'anything';
}

function objectText({ properties, required }: JsonObject): string {
  const needed = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties as JsonObject).map(([name, inner]) => {
    const text = schemaText(inner);
    return `${name}${needed.includes(name) ? '' : '?'}${text === 'text' ? '' : `: ${text}`}`;
  });
  return `{ ${fields.join(', ')} }`;
}

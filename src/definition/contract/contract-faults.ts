// Owns the check of a contract's documents, as a pure function of their texts: the caller reads the files. Each fault is a
// sentence for the agent that has to fix it: which document, what is missing, where.
//
// - A document is work of its step: it changed during the step, has content, and is not a copy of another one.
// - A quotation is in the file that it names, and that file is not a document of the run: no document is its own source.

import { digestText } from '../../base/digest.ts';
import { messageOf } from '../../base/error.ts';
import type { Json } from '../../base/json.ts';
import { schemaMismatch } from '../param/json-schema.ts';
import { namesMatching } from './name-pattern.ts';
import { placeholderFaults, placeholderIn } from './placeholder.ts';
import { planFaults } from './plan.ts';
import {
  type DocumentContract,
  isJsonDocument,
  MIN_WORDS,
  nameText,
  QUOTE_CHARACTERS_MIN,
  type SectionContract,
  type StepContract,
} from './step-contract.ts';
import {
  isTitled,
  itemsIn,
  ownLines,
  plainText,
  plainTitle,
  type Quotation,
  quotationsIn,
  sectionsOf,
  visibleText,
  type WrittenSection,
  wordsOf,
} from './written-text.ts';

/** A document as it was when a step was accepted. */
export interface AcceptedDocument {
  readonly digest: string;
  /** The step that wrote it. */
  readonly step: string;
  readonly frozen?: true;
}

/** What a contract is checked against. */
export interface ContractScene {
  /** The text of a project file; undefined if it does not exist or may not be read. */
  readonly read: (path: string) => string | undefined;
  /** The file that a path resolves to, after links and `..`: two paths of one file give the same. */
  readonly fileOf: (path: string) => string;
  /** The digest of a document before the step began; undefined if it did not exist. */
  readonly before: (path: string) => string | undefined;
  /** The documents of this run that were accepted, by path. */
  readonly accepted: ReadonlyMap<string, AcceptedDocument>;
  /** Which files that match a pattern changed in this step. */
  readonly changed: (pattern: string) => readonly string[];
  /** Whether a file was created since the step began. */
  readonly isWritten: (path: string) => boolean;
}

/** The digest by which documents are compared: white space and case do not make another document. */
export function documentDigest(text: string): string {
  return digestText(plainText(visibleText(text)));
}

/** Returns what is missing in the files of a step. The contract's parameters must be filled in. */
export function contractFaults(contract: StepContract, given: ContractScene): string[] {
  const { documents = [], changes = [] } = contract;
  const scene = {
    ...given,
    read: (path: string) => visibleOf(given.read(path)),
    // If the work is to change files, the changed files are its subject and may be quoted.
    isWritten: (path: string) => changes.length === 0 && given.isWritten(path),
  };
  const own = new Set(documents.map(({ path }) => path));
  const notes = new Set([...own, ...scene.accepted.keys()]);
  const unchanged =
    changes.length > 0 && changes.every((pattern) => scene.changed(pattern).every((path) => notes.has(path)))
      ? [`no file that matches ${changes.join(' or ')} changed in this step`]
      : [];
  return [...frozenFaults(own, scene), ...documents.flatMap((document) => documentFaults(document, { ...scene, notes })), ...unchanged];
}

function visibleOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : visibleText(text);
}

/** The files that quotations of a contract's documents name, besides the documents themselves. */
export function citedPaths({ documents = [] }: StepContract, read: ContractScene['read']): string[] {
  const quoting = documents.filter(({ quotes }) => quotes !== undefined);
  const cited = quoting.flatMap(({ path }) => quotationsIn(read(path) ?? '').slice(0, QUOTES_MAX));
  return [...new Set(cited.map(({ path }) => path))];
}

/** Frozen documents that have changed; the step's own documents are checked with the rest. */
function frozenFaults(own: ReadonlySet<string>, { accepted, read }: ContractScene): string[] {
  return [...accepted].flatMap(([path, { digest, step, frozen }]) => {
    if (frozen !== true || own.has(path)) return [];
    return documentDigest(read(path) ?? '') === digest ? [] : [frozenFault(path, step)];
  });
}

function frozenFault(path: string, step: string): string {
  return `${path}: it is frozen since step "${step}" but has changed; restore the accepted version`;
}

interface DocumentScene extends ContractScene {
  /** The paths of all documents of the run. */
  readonly notes: ReadonlySet<string>;
}

function documentFaults(document: DocumentContract, scene: DocumentScene): string[] {
  const { path } = document;
  const text = scene.read(path);
  if (text === undefined) return [`${path}: it is missing; write it`];
  const known = scene.accepted.get(path);
  const digest = documentDigest(text);
  if (known?.frozen === true) return digest === known.digest ? [] : [frozenFault(path, known.step)];
  if (text.trim() === '') return [`${path}: it is empty; write its content`];
  if (digest === scene.before(path)) return [`${path}: it is unchanged since before this step; add the work of this step`];
  const copy = copyOf(document, text, scene);
  if (copy !== undefined) return [`${path}: it is a copy of ${copy}; write what this step asks for`];
  const faults = isJsonDocument(document) ? jsonFaults(document, text) : textFaults(document, text, scene);
  return [...faults, ...nameFaults(document, text, scene)].map((fault) => `${path}: ${fault}`);
}

const LINE_MIN = 20;
const COPIED_LINES_MIN = 4;
const COPIED_SHARE = 0.8;

/** Another document of the run with the same text, or with most of the same lines. */
function copyOf({ path }: DocumentContract, text: string, { notes, read, accepted }: DocumentScene): string | undefined {
  const digest = documentDigest(text);
  const lines = longLines(text);
  return [...notes].find((other) => {
    if (other === path) return false;
    const theirs = read(other);
    if (accepted.get(other)?.digest === digest || (theirs !== undefined && documentDigest(theirs) === digest)) return true;
    if (theirs === undefined || lines.length < COPIED_LINES_MIN) return false;
    const known = new Set(longLines(theirs));
    return lines.filter((line) => known.has(line)).length >= lines.length * COPIED_SHARE;
  });
}

function longLines(text: string): string[] {
  return [...new Set(ownLines(text).map(plainText))].filter((line) => line.length >= LINE_MIN);
}

function textFaults(document: DocumentContract, text: string, scene: DocumentScene): string[] {
  const { minWords = MIN_WORDS, sections = [] } = document;
  const words = wordsOf(ownLines(text)).filter((word) => /\p{L}/u.test(word)).length;
  const written = sectionsOf(text);
  return [
    ...placeholderFaults(text),
    ...(words < minWords ? [`it has ${words} words (without quotations and code); at least ${minWords} are required`] : []),
    ...sections.flatMap((section) => sectionFaults(typeof section === 'string' ? { title: section } : section, written)),
    ...quoteFaults(document, text, scene),
  ];
}

const SECTION_WORDS_MIN = 1;

function sectionFaults(
  { title, minWords = SECTION_WORDS_MIN, minItems = 0 }: SectionContract,
  written: readonly WrittenSection[],
): string[] {
  const section = written.find((one) => isTitled(one.title, title));
  if (section === undefined) return [`the section "${title}" is missing; add the heading "## ${title}" with its content`];
  const words = wordsOf(section.lines);
  const items = itemsIn(section.lines).length;
  if (words.length === 0) return [`the section "${title}" is empty`];
  if (plainTitle(section.lines.join(' ')) === plainTitle(title)) return [`the section "${title}" only repeats its title`];
  return [
    ...(words.length < minWords ? [`the section "${title}" has ${words.length} words; at least ${minWords} are required`] : []),
    ...(items < minItems ? [`the section "${title}" has ${items} list items or table rows; at least ${minItems} are required`] : []),
  ];
}

function jsonFaults({ json, plan }: DocumentContract, text: string): string[] {
  let value: Json;
  try {
    value = JSON.parse(text, (_, inner: unknown) => (typeof inner === 'string' ? visibleText(inner) : inner)) as Json;
  } catch (error) {
    return [`it is not JSON: ${messageOf(error)}`];
  }
  const unfit = json === undefined ? undefined : schemaMismatch(json, value, 'the document');
  if (unfit !== undefined) return [unfit];
  const held = placeholderIn(value, 'the document');
  return [
    ...(held === undefined ? [] : [`${held} is a placeholder; write the content`]),
    ...(isBare(value) ? ['the document is empty; write its content'] : []),
    ...(plan === true ? planFaults(value).map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`)) : []),
  ];
}

function isBare(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

const NAMES_SHOWN = 8;

function nameFaults({ ids, references = [] }: DocumentContract, text: string, { read }: DocumentScene): string[] {
  const count = ids === undefined ? 0 : namesMatching(ids.pattern, text).length;
  const wrongCount =
    ids === undefined
      ? []
      : count < ids.min
        ? [`it has ${count} different ${nameText(ids.pattern).replace(/^name/, 'names')}; at least ${ids.min} are required`]
        : ids.max !== undefined && count > ids.max
          ? [`it has ${count} different ${nameText(ids.pattern).replace(/^name/, 'names')}; at most ${ids.max} are allowed`]
          : [];
  const wrong = references.flatMap(({ pattern, to, all }) => {
    const [used, known] = [namesMatching(pattern, text), namesMatching(pattern, read(to) ?? '')];
    const unknown = used.filter((name) => !known.includes(name));
    const unused = all === true ? known.filter((name) => !used.includes(name)) : [];
    return [
      ...(unknown.length > 0 ? [`${listed(unknown)} ${unknown.length === 1 ? 'is' : 'are'} not in ${to}`] : []),
      ...(unused.length > 0 ? [`it does not mention ${listed(unused)} of ${to}`] : []),
      ...(all === true && known.length === 0 ? [`${to} has no name like ${pattern} to refer to`] : []),
    ];
  });
  return [...wrongCount, ...wrong];
}

function listed(names: readonly string[]): string {
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return `${names.slice(0, NAMES_SHOWN).join(', ')}${more}`;
}

/** Each quotation is searched for in a whole file, so a document of nothing but quotations could take an hour. */
const QUOTES_MAX = 500;

function quoteFaults({ quotes }: DocumentContract, text: string, scene: DocumentScene): string[] {
  if (quotes === undefined) return [];
  const found = quotationsIn(text);
  if (found.length > QUOTES_MAX) return [`it has ${found.length} quotations; at most ${QUOTES_MAX} are allowed; remove some`];
  const sources = new Map(found.map(({ path }) => [path, '']));
  for (const path of sources.keys()) sources.set(path, plainQuote(scene.read(path) ?? ''));
  const faults = found.flatMap((quotation) => {
    const why = quotationFault(quotation, scene, sources.get(quotation.path) ?? '');
    return why === undefined ? [] : [`line ${quotation.line}: ${why}`];
  });
  const different = new Set(found.map(({ text: quote, path }) => `${path}\n${plainText(quote)}`)).size;
  if (different >= quotes) return faults;
  return [
    ...faults,
    `it has ${different} quotations with a source; at least ${quotes} are required, each a block quote that ends with "> — path:line"`,
  ];
}

function quotationFault({ text, path }: Quotation, { notes, read, fileOf, isWritten }: DocumentScene, source: string): string | undefined {
  const file = fileOf(path);
  if ([...notes].some((note) => fileOf(note) === file)) return `${path} is a document of this work, not a source`;
  if (read(path) === undefined) return `the quotation names ${path}, which is not a text file of the project`;
  if (isWritten(path)) return `${path} was created in this step, so it cannot be quoted as a source; quote what was there before`;
  const quote = plainQuote(text);
  if (quote.length < QUOTE_CHARACTERS_MIN)
    return `the quotation of ${path} has fewer than ${QUOTE_CHARACTERS_MIN} characters; quote more of it`;
  return source.includes(quote) ? undefined : `the quotation is not in ${path}; quote it word for word`;
}

/** A quoted text as it is compared: white space does not matter, letters do. */
function plainQuote(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

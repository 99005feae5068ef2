// Owns the contract of a step, which says as data what must exist when it is done: documents with sections, names,
// references and quotes, changed files, a report, a command. The engine checks it against the project's files, and the
// same data is printed for the agent, so that instructions and checks cannot differ.
//
// Texts may name parameters in braces: `{folder}/findings.md`.

import { EngineError } from '../../base/error.ts';
import { type JsonObject, jsonText } from '../../base/json.ts';
import { shellWord } from '../../base/shell-word.ts';
import { exposedNames } from './command-names.ts';

/** What must exist when a step is done. */
export type StepContract = {
  /** Documents that the step writes. Each must have changed in this step, and must not be a copy of another one. */
  readonly documents?: readonly DocumentContract[];
  /** Patterns of files of the project, of which at least one must have changed in this step. */
  readonly changes?: readonly string[];
  /** The JSON Schema of the agent's report. */
  readonly report?: JsonObject;
  /** A shell line that must end with 0, such as the tests of the project: `{test}`. */
  readonly command?: string;
};

/** What a document must have. */
export type DocumentContract = {
  /** Its path from the root of the project. */
  readonly path: string;
  /** Its headings, each with something under it. */
  readonly sections?: readonly (string | SectionContract)[];
  /** How many words it has at least. Default: 20 for text. */
  readonly minWords?: number;
  /** Names that it defines, such as `F-1 F-2`: their pattern, and how many different ones there are. */
  readonly ids?: { readonly pattern: string; readonly min: number; readonly max?: number };
  /** Names of another document that it may use; with `all` it must use every one of them. */
  readonly references?: readonly { readonly pattern: string; readonly to: string; readonly all?: true }[];
  /** How many quotations it has at least. Each is a block quote that ends with its source, `> — path:line`, and really is in that file. */
  readonly quotes?: number;
  /** For a JSON document: its schema. */
  readonly json?: JsonObject;
  /** For a JSON document: it is a plan, and its cross-references are checked. */
  readonly plan?: true;
  /** It is written once: in later rounds of a loop it must stay as it was accepted. */
  readonly frozen?: true;
};

/** What a section of a document must have. */
export type SectionContract = {
  readonly title: string;
  readonly minWords?: number;
  /** How many list items or table rows it has at least. */
  readonly minItems?: number;
};

/** The minimum number of words of a text document whose contract sets none. */
export const MIN_WORDS = 20;

/** How many characters a quotation has at least. */
export const QUOTE_CHARACTERS_MIN = 10;

const NAMED = /\{([A-Za-z][\w-]*)\}/g;

/** The names in braces in a text. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(NAMED)].map(([, name]) => name as string);
}

/** A text with the names in braces replaced by their values. A name without a value is left as it is. */
export function filled(text: string, values: JsonObject): string {
  return text.replaceAll(NAMED, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined || value === null ? whole : jsonText(value);
  });
}

/**
 * The shell line of a contract; undefined if the person gave none. `{test}` alone is replaced by the whole line in that
 * parameter; in a longer line a value becomes one quoted word, so that it cannot become a command of its own.
 */
export function commandLine(command: string, values: JsonObject): string | undefined {
  const [only] = /^\s*\{([^{}]+)\}\s*$/.exec(command)?.slice(1) ?? [];
  if (only !== undefined) {
    const line = Object.hasOwn(values, only) ? values[only] : undefined;
    return typeof line === 'string' && line.trim() !== '' ? line : undefined;
  }
  const [exposed] = exposedNames(command);
  if (exposed !== undefined) throw new EngineError('DEFINITION_INVALID', `the contract cannot be checked: ${exposed}`);
  return command.replaceAll(NAMED, (whole, name: string) => (Object.hasOwn(values, name) ? shellWord(filled(`{${name}}`, values)) : whole));
}

/** A contract with its parameters filled in, except for the command. */
export function filledContract(contract: StepContract, values: JsonObject): StepContract {
  const { documents, changes } = contract;
  return {
    ...contract,
    ...(documents === undefined ? {} : { documents: documents.map((document) => filledDocument(document, values)) }),
    ...(changes === undefined ? {} : { changes: changes.map((pattern) => filled(pattern, values)) }),
  };
}

function filledDocument(document: DocumentContract, values: JsonObject): DocumentContract {
  const { path, references } = document;
  return {
    ...document,
    path: filled(path, values),
    ...(references === undefined ? {} : { references: references.map((one) => ({ ...one, to: filled(one.to, values) })) }),
  };
}

/** Whether a document is JSON. */
export function isJsonDocument({ path, json, plan }: DocumentContract): boolean {
  return json !== undefined || plan === true || path.endsWith('.json');
}

/** An example for a pattern, if possible: `F-\d+` becomes F-1. */
export function nameText(pattern: string): string {
  const example = pattern.replaceAll('\\b', '').replaceAll(/\\d[+*]?/g, '1');
  return /[\\^$.|?*+()[\]{}]/.test(example) ? `name like /${pattern}/` : `name like ${example}`;
}

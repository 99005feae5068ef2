// Reads a workflow file: from its text to a checked document, or to all its problems, errors first. Nothing of the file is
// run.
//
// - A syntax error is reported alone: everything after it would be a consequence.
// - A stage that is wrong does not hide the problems of the others.
// - There is a document if and only if there is no error.

import type { SourcePosition } from '../../../base/error.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Origin } from '../../../expr/template-placeholder.ts';
import type { Compilers } from '../../graph/work.ts';
import { Positions, type YamlPath } from '../position/position.ts';
import { bestFirst, problemAt, type YamlProblem } from '../problem/problem.ts';
import { type PlacedFault, schemaVerdict } from '../problem/schema.ts';
import { hookRules, stageRules } from '../schema/rule.ts';
import { workflowSchema, type YamlWorkflow } from '../schema/schema.ts';
import { type PlacedText, textsOf } from '../schema/walk.ts';
import { readSource } from './source.ts';
import { readTemplates, type TemplateOptions, type YamlExpression } from './template.ts';

/** The result of reading a file. */
export interface YamlReading {
  /** The workflow, if it has no errors. */
  readonly document: YamlWorkflow | undefined;
  /** The content of the file, even with errors; undefined if it is not YAML. */
  readonly written: Json | undefined;
  readonly problems: readonly YamlProblem[];
  /** Every template and condition, in the order of the file, with what it can read. */
  readonly expressions: readonly YamlExpression[];
  /** The position of a value or its key; for a path that is not in the file, of the nearest parent. */
  positionOf(path: YamlPath, part?: 'key' | 'value'): SourcePosition;
  /** The position of the first character of a text, for reading templates in it. */
  originOf(path: YamlPath): Origin;
}

/** Facts from outside of the file. */
export interface ReadOptions extends TemplateOptions {
  /** The kinds and checks that the file can name. */
  readonly compilers: Compilers;
}

/** Reads the text of a workflow file; `file` is how positions name it. */
export function readYamlWorkflow(text: string, file: string, options: ReadOptions): YamlReading {
  const source = readSource(text);
  const positions = new Positions({ text, file, root: source.root, placeAt: source.placeAt });
  const places = {
    positionOf: (path: YamlPath, part?: 'key' | 'value') => positions.positionOf(path, part),
    originOf: (path: YamlPath) => positions.originOf(path),
  };
  if (source.root === undefined) return { document: undefined, written: undefined, problems: source.problems, expressions: [], ...places };
  const document = withRestores(source.root.value);
  const schema = workflowSchema(options.compilers);
  const { faults, wrong } = schemaVerdict(schema, document);
  const rules = ruleFaults(document, wrong, options.compilers);
  const texts = validTexts(textsOf(schema, document), faults);
  const { expressions, problems: textProblems } = readTemplates(texts, { document, positions, options });
  const placed = [...faults, ...rules].map((fault) => problemAt(positions.positionOf(fault.path, fault.part), fault));
  const problems = bestFirst([...placed, ...textProblems]);
  const isValid = problems.every(({ severity }) => severity !== 'error');
  // The schema has accepted it, so it is what the schema describes.
  return { document: isValid ? (document as unknown as YamlWorkflow) : undefined, written: document, problems, expressions, ...places };
}

/** Converts `on_fail: restore` to the field it stands for, unless a stage has that name. */
function withRestores(document: Json): Json {
  if (!isJsonObject(document) || !Array.isArray(document.stages)) return document;
  const stages = document.stages as readonly Json[];
  if (stages.some((stage) => isJsonObject(stage) && stage.id === 'restore')) return document;
  const converted = (stage: Json): Json => {
    if (!isJsonObject(stage)) return stage;
    const { on_fail: onFail, ...rest } = stage;
    const own: JsonObject = onFail === 'restore' ? { ...rest, restore_on_fail: true } : stage;
    return Array.isArray(own.branches) ? { ...own, branches: own.branches.map(converted) } : own;
  };
  return { ...document, stages: stages.map(converted) };
}

/** The faults of the stages and hooks that have a valid shape. */
function ruleFaults(document: Json, wrong: readonly YamlPath[], compilers: Compilers): PlacedFault[] {
  // Compared by the first two parts of the path, because a list may have as many items as there are faults.
  const faulty = new Set(wrong.map(([field, index]) => `${field}/${index}`));
  const isValid = (field: string, index: number): boolean =>
    !['undefined/undefined', `${field}/undefined`, `${field}/${index}`].some((place) => faulty.has(place));
  const workflow = document as unknown as Partial<YamlWorkflow>;
  const checked = <T>(list: readonly T[] | undefined, field: string, rules: (item: T, path: YamlPath) => PlacedFault[]): PlacedFault[] =>
    Array.isArray(list) ? list.flatMap((item: T, index) => (isValid(field, index) ? rules(item, [field, index]) : [])) : [];
  return [
    ...checked(workflow.stages, 'stages', (stage, path) => stageRules(stage, path, compilers)),
    ...checked(workflow.on_complete, 'on_complete', hookRules),
    ...checked(workflow.on_error, 'on_error', hookRules),
  ];
}

/** The strings that are not inside a value that already has a fault. */
function* validTexts(texts: Iterable<PlacedText>, faults: readonly PlacedFault[]): Generator<PlacedText> {
  const wrong = faults.filter(({ code }) => code !== 'FIELD_MISSING');
  for (const text of texts) if (!wrong.some(({ path }) => path.length > 0 && begins(text.path, path))) yield text;
}

/** True if the path begins with the other one. */
function begins(path: YamlPath, start: YamlPath): boolean {
  return start.every((part, index) => path[index] === part);
}

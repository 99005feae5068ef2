// Finds a flow's references to roles, groups, checks and other workflows in its source: the literals in the calls of its
// steps. Computed names are known only when the flow runs.

import type { AnyNode, CallExpression, ObjectExpression } from 'acorn';
import type { Reference } from '../../definition/validation/reference.ts';
import { type ModuleNames, nameOf, propertyOf } from '../discover/names.ts';
import type { Outline } from '../discover/outline.ts';
import { type FilePosition, nodesIn, placeAt } from '../discover/syntax.ts';
import { flowBody, stepCallOf } from './lint.ts';

/** Returns the references in the function of a flow, each with its position. */
export function flowReferences(outline: Outline): (Reference & FilePosition)[] {
  const body = flowBody(outline);
  return body === undefined
    ? []
    : [...nodesIn(body)].flatMap((node) =>
        node.type === 'CallExpression' ? [...referencesOf(outline, node), ...databasesOf(outline, node)] : [],
      );
}

function referencesOf({ names, module }: Outline, node: CallExpression): (Reference & FilePosition)[] {
  const step = node.callee.type === 'MemberExpression' ? stepCallOf(names, node) : undefined;
  const [first] = node.arguments;
  if (step === undefined || first === undefined || node.callee.type !== 'MemberExpression') return [];
  const name = names.text(step.arguments[0]) ?? '';
  const at = (literal: AnyNode): FilePosition => placeAt(module.text, literal.start);
  const texts = (value: AnyNode | undefined): { readonly text: string; readonly node: AnyNode }[] => textsIn(names, value);
  const options = objectOf(names, first);
  const field = (key: string): AnyNode | undefined => propertyOf(options, key)?.value;
  switch (nameOf(node.callee.property)) {
    case 'agent':
      return texts(field('agent')).map(({ text, node: literal }) => ({ kind: 'role', step: name, name: text, ...at(literal) }));
    case 'generate':
      return texts(field('generator')).map(({ text, node: literal }) => ({ kind: 'role', step: name, name: text, ...at(literal) }));
    case 'workflow':
      return texts(first).map(({ text, node: literal }) => ({ kind: 'workflow', step: name, name: text, input: null, ...at(literal) }));
    case 'gate':
      return listOf(names, field('checks')).flatMap((check) =>
        texts(propertyOf(objectOf(names, check), 'check')?.value).map(({ text, node: literal }) => ({
          kind: 'check',
          step: name,
          name: text,
          ...at(literal),
        })),
      );
    case 'human': {
      const from = [field('from'), ...listOf(names, field('from'))].flatMap(texts);
      const [only] = from;
      return only === undefined ? [] : [{ kind: 'group', step: name, from: from.map(({ text }) => text), count: 1, ...at(only.node) }];
    }
    default:
      return [];
  }
}

/** The databases in the options of a step: a list of names, or an object with them. */
function databasesOf({ names, module }: Outline, node: CallExpression): (Reference & FilePosition)[] {
  const step = node.callee.type === 'MemberExpression' ? stepCallOf(names, node) : undefined;
  const [first] = node.arguments;
  const value = step === undefined || first === undefined ? undefined : propertyOf(objectOf(names, first), 'databases')?.value;
  if (step === undefined || value === undefined) return [];
  const keys = objectOf(names, value)?.properties.flatMap((property) =>
    property.type === 'Property' ? [{ text: nameOf(property.key), node: property.key }] : [],
  );
  const listed = listOf(names, value).flatMap((item) => textsIn(names, item));
  return [...(keys ?? []), ...listed].flatMap(({ text, node: literal }) =>
    text === undefined
      ? []
      : [{ kind: 'database', step: names.text(step.arguments[0]) ?? '', name: text, ...placeAt(module.text, literal.start) }],
  );
}

function objectOf(names: ModuleNames, node: AnyNode): ObjectExpression | undefined {
  const at = names.follow(node);
  return at.type === 'ObjectExpression' ? at : undefined;
}

function listOf(names: ModuleNames, node: AnyNode | undefined): AnyNode[] {
  const at = node === undefined ? undefined : names.follow(node);
  return at?.type === 'ArrayExpression' ? at.elements.filter((element) => element !== null) : [];
}

function textsIn(names: ModuleNames, node: AnyNode | undefined): { readonly text: string; readonly node: AnyNode }[] {
  const text = names.text(node);
  return node === undefined || text === undefined ? [] : [{ text, node }];
}

// Writes `test/github/description.json`: the part of GitHub's own description of its API (`@octokit/openapi`) that the
// GitHub of the tests needs, as JSON Schema. Only the operations in use are kept, without texts and examples, since the
// whole unpacks to 385 MB. Run it when the driver uses another operation:
//   npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-*.tgz
//   node scripts/github-description.js package/generated/api.github.com.json && npm run format

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.js';

/** The operations in use, as GitHub names them. */
const OPERATIONS = [
  ...['apps/create-installation-access-token', 'apps/get-authenticated', 'apps/get-repo-installation', 'users/get-authenticated'],
  ...['actions/list-workflow-runs-for-repo', 'checks/create', 'checks/list-for-ref', 'checks/update'],
  ...['git/delete-ref', 'git/get-ref', 'repos/compare-commits-with-basehead', 'repos/create-commit-status', 'repos/get'],
  ...['repos/get-branch', 'repos/get-branch-rules', 'repos/get-collaborator-permission-level', 'repos/get-combined-status-for-ref'],
  ...['apps/get-webhook-config-for-app', 'apps/list-webhook-deliveries', 'repos/list-webhook-deliveries', 'repos/list-webhooks'],
  ...['issues/add-assignees'],
  ...['issues/add-labels', 'issues/create', 'issues/create-comment', 'issues/get', 'issues/get-comment', 'issues/list-comments'],
  ...['issues/list-comments-for-repo', 'issues/list-events-for-repo', 'issues/list-for-repo', 'issues/remove-label', 'issues/update'],
  ...['issues/update-comment', 'pulls/create', 'pulls/create-review', 'pulls/get', 'pulls/list', 'pulls/list-files'],
  ...['pulls/list-reviews', 'pulls/merge', 'pulls/request-reviewers', 'reactions/create-for-issue-comment', 'teams/list-members-in-org'],
];
const NOT_RULES = new Set([
  'description',
  'example',
  'examples',
  'title',
  'deprecated',
  'externalDocs',
  'x-github',
  'x-multi-segment',
  'default',
]);

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node scripts/github-description.js api.github.com.json');
const description = JSON.parse(readFileSync(file, 'utf8'));
/** @type {Record<string, unknown>} */
const schemas = {};
/** @type {Record<string, unknown>} */
const operations = {};
for (const [path, methods] of Object.entries(description.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    if (OPERATIONS.includes(operation.operationId)) operations[operation.operationId] = extract(method, path, operation);
  }
}
const missing = OPERATIONS.filter((name) => operations[name] === undefined);
if (missing.length > 0) throw new Error(`GitHub's description has no operation ${missing.join(', ')}`);
const out = { source: `@octokit/openapi ${description.info.version}`, operations, schemas };
writeFileSync(join(root, 'test/github/description.json'), `${JSON.stringify(out)}\n`);

/** @param {string} method @param {string} path @param {any} operation */
function extract(method, path, operation) {
  const parameters = (operation.parameters ?? []).map(follow).filter((/** @type {any} */ { in: where }) => where === 'query');
  const query = Object.fromEntries(parameters.map((/** @type {any} */ { name, schema }) => [name, convert(schema)]));
  const body = operation.requestBody?.content?.['application/json']?.schema;
  const responses = Object.entries(operation.responses).map(([status, response]) => {
    const schema = follow(response).content?.['application/json']?.schema;
    return [status, schema === undefined ? null : convert(schema)];
  });
  return {
    method: method.toUpperCase(),
    path,
    query,
    ...(body === undefined ? {} : { body: convert(body) }),
    responses: Object.fromEntries(responses),
  };
}

/** @param {any} value */
function follow(value) {
  return value.$ref === undefined ? value : at(value.$ref);
}

/** @param {string} ref */
function at(ref) {
  return ref
    .slice(2)
    .split('/')
    .reduce((/** @type {any} */ value, part) => value[part], description);
}

/** Converts a schema of OpenAPI 3.0 to JSON Schema, and keeps what it refers to. @param {any} schema @returns {any} */
function convert(schema) {
  if (Array.isArray(schema)) return schema.map(convert);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1);
    if (schemas[name] === undefined) {
      schemas[name] = true;
      schemas[name] = convert(at(schema.$ref));
    }
    return { $ref: `#/schemas/${name}` };
  }
  const { nullable, ...rest } = schema;
  const kept = Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]) => {
      if (key === 'properties') return [[key, Object.fromEntries(Object.entries(value).map(([name, below]) => [name, convert(below)]))]];
      if (NOT_RULES.has(key)) return [];
      return [[key, key === 'enum' || key === 'required' ? value : convert(value)]];
    }),
  );
  if (nullable !== true) return kept;
  if (typeof kept.type !== 'string') return { anyOf: [kept, { type: 'null' }] };
  return { ...kept, type: [kept.type, 'null'], ...(Array.isArray(kept.enum) ? { enum: [...new Set([...kept.enum, null])] } : {}) };
}

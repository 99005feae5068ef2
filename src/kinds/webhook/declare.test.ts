import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import type { StepOf } from '../../definition/model.ts';
import { webhook } from './declare.ts';

function faults(config: JsonObject): string[] {
  const found: string[] = [];
  webhook.validate({ config } as unknown as StepOf<'webhook'>, {
    fault: (message) => found.push(message),
    expression: () => {},
    kind: () => undefined,
    check: () => undefined,
  });
  return found;
}
const url = 'https://api.example.com/validate';

test('a webhook takes the form of the seed', () => {
  const headers = { Authorization: 'Bearer {{ secrets.API_TOKEN }}' };
  const body = { pr_number: '{{ context.pr_number }}', files: '{{ outputs.changed_files }}' };
  const expected = { status: 200, body: { approved: true } };
  expect(faults({ request: { url, method: 'POST', headers, body }, expect: expected, templates: true })).toEqual([]);
});

describe('a webhook does not take', () => {
  test.each<[JsonObject, string]>([
    [{}, '`request.url` must be an address'],
    [{ request: { url: ' ' } }, '`request.url` must be an address'],
    [{ request: { url, method: 'FETCH' } }, '`request.method` must be an HTTP method'],
    [{ request: { url, headers: { a: 1 } } }, '`request.headers` must be strings by name'],
    [{ request: { url }, expect: 'status == 200' }, '`expect` must be a map'],
    [{ request: { url }, expect: { header: 1 } }, '`expect` has no field "header"'],
    [{ request: { url }, expect: { status: 99 } }, '`expect.status` must be an HTTP status code'],
    [{ request: { url }, timeoutMs: 0 }, '`timeout` must be a duration'],
    [{ request: { url: `${url}?t={{ secrets.T }}` }, templates: true }, '`request.url` must not read a secret, because URLs are logged'],
    [{ request: { url, body: '{{ secrets[params.x] }}' }, templates: true }, 'the name of a secret must not be computed'],
    [{ request: { url, body: '{{ secrets.* }}' }, templates: true }, 'the name of a secret must not be computed'],
  ])('%j', (config, fault) => {
    expect(faults(config)).toEqual([fault]);
  });

  test('a template that is none', () => {
    expect(faults({ request: { url, body: '{{ ' }, templates: true })).toEqual([
      expect.stringMatching(/^a template of the request cannot be parsed/),
    ]);
  });
});

test('a field that a webhook does not have is reported with the nearest one', () => {
  expect(faults({ request: { url: 'https://x', hedaers: {} }, expcet: {} })).toEqual([
    'a webhook has no field "expcet" (did you mean "expect"?)',
    'a webhook has no field "hedaers" (did you mean "headers"?)',
  ]);
});

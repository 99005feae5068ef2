import { strictEqual } from 'node:assert';
import { test } from 'node:test';
import { slug } from '../src/slug.js';

test('capitals become small letters', () => strictEqual(slug('Hello World'), 'hello-world'));
test('every space becomes a hyphen', () => strictEqual(slug('a b c'), 'a-b-c'));

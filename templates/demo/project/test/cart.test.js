import { strictEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { total } from '../src/cart.js';

test('below 100.00 a cart costs the sum of its prices', () => strictEqual(total([30_00, 12_50]), 42_50));
test('above 100.00 it costs ten percent less', () => strictEqual(total([150_00, 50_00]), 180_00));
test('at exactly 100.00 it costs ten percent less', () => strictEqual(total([60_00, 40_00]), 90_00));

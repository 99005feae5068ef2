// Writes docs/reference/api from the types of the library and their comments.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiPages } from './api-page.ts';
import { root } from './bundle.js';

const folder = join(root, 'docs', 'reference', 'api');
mkdirSync(folder, { recursive: true });
for (const { file, text } of apiPages((path) => readFileSync(join(root, path), 'utf8'))) writeFileSync(join(folder, file), text);

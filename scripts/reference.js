// Writes docs/reference/cli.md from the commands' own data.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { COMMANDS } from '../src/cli/catalogue.ts';
import { root } from './bundle.js';
import { referencePage } from './reference-page.ts';

const file = join(root, 'docs', 'reference', 'cli.md');
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, referencePage(COMMANDS));

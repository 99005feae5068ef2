// Writes docs/reference/settings.md from the checks of the settings.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.js';
import { settingsReferencePage } from './settings-reference-page.ts';

writeFileSync(join(root, 'docs', 'reference', 'settings.md'), settingsReferencePage());

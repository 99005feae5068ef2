// Writes docs/skills.md from the catalogue of skills.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.js';
import { loadCatalogue, skillsPage } from './skills-page.ts';

const skills = await loadCatalogue(join(root, 'src', 'skills', 'catalogue'));
const hasPage = (/** @type {string} */ name) => existsSync(join(root, 'docs', 'skills', `${name}.md`));
writeFileSync(join(root, 'docs', 'skills.md'), skillsPage(skills, hasPage));

// Builds `dist`, the bundles with their types, and the dashboard.

import { join } from 'node:path';
import { bundle, root } from './bundle.js';
import { buildDashboard } from './dashboard.js';
import { writeDeclarations } from './declarations.js';

const dist = join(root, 'dist');
await bundle(dist);
writeDeclarations(dist);
await buildDashboard();

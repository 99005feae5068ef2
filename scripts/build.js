// Builds `dist`: the bundles, and the types beside them.

import { join } from 'node:path';
import { bundle, root } from './bundle.js';
import { writeDeclarations } from './declarations.js';

const dist = join(root, 'dist');
await bundle(dist);
writeDeclarations(dist);

// Starts the launcher that lies beside the bundle which PAWL_BUNDLE names, as `bin/pawl.js` lies beside `dist`.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

await import(pathToFileURL(join(process.env.PAWL_BUNDLE ?? '', '..', 'bin', 'pawl.js')).href);

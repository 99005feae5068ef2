// Starts the command line of the bundle that PAWL_BUNDLE names, as `bin/pawl.js` starts the one in `dist`.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { main } = await import(pathToFileURL(join(process.env.PAWL_BUNDLE ?? '', 'cli', 'main.js')).href);
await main();

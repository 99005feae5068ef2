// Refuses `npm pack` in the checkout, which would pack all of it. npm runs this before the script `pack` too.

if (process.env.npm_command === 'pack') {
  process.stderr.write('pawl: this folder is the checkout, not the package; "npm run pack" makes the package in dist-package\n');
  process.exitCode = 2;
}

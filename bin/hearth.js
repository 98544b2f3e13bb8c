// What runs before the cache of compiled modules is on is JavaScript: a single file with types in it would have Node load a
// compiler at each start. The rest is imported once it is.
import './quick-start.js';

// Whatever is written is for nobody else on this machine: it holds people's code, and the digests of their secrets.
process.umask(0o077);
const { runCommandLine } = await import('./command-line.ts');
process.exit(await runCommandLine(process.argv.slice(2), process.env));

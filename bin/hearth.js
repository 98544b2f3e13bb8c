// Code that runs before the compile cache is enabled is JavaScript: a single TypeScript file would make Node load its
// compiler at each start. Everything else is imported afterwards.
import './quick-start.js';

// New files are private to this user: they contain people's code and digests of their secrets.
process.umask(0o077);
const { runCommandLine } = await import('./command-line.ts');
process.exit(await runCommandLine(process.argv.slice(2), process.env));

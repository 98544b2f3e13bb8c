// The cache must be on before anything else is loaded, so the rest is imported when it is.
import './quick-start.ts';

// Whatever is written is for nobody else on this machine: it holds people's code, and the digests of their secrets.
process.umask(0o077);
const { runCommandLine } = await import('./command-line.ts');
process.exit(await runCommandLine(process.argv.slice(2), process.env));

// The cache must be on before anything else is loaded, so the rest is imported when it is.
import './compile-cache.ts';

const { runCommandLine } = await import('./command-line.ts');
process.exit(await runCommandLine(process.argv.slice(2), process.env));

import { loadConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/log.ts';
import { startServer } from '../../src/server.ts';

// A server in its own process, for tests that kill it. Prints its URL when listening.
const server = await startServer(loadConfig(process.argv.slice(2), process.env), createLogger({ logLevel: 'error' }));
process.stdout.write(`${server.url}\n`);

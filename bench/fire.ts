import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';

/*
 * The process that the load comes from: reads what to ask from standard input, asks for the addresses in turn, each time
 * as the next caller, and prints what came of it.
 */
interface Order {
  readonly url: string;
  readonly paths: readonly string[];
  readonly tokens: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

const { url, paths, tokens, connections, seconds } = JSON.parse(await text(process.stdin)) as Order;
let asked = 0;

const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: [
    {
      setupRequest: (request) => {
        asked += 1;
        const path = paths[asked % paths.length] ?? '/';
        // Another number than that of the addresses, so that each caller comes to each of them.
        const headers = { 'private-token': tokens[Math.floor(asked / 7) % tokens.length] ?? '' };
        return { ...request, path, headers };
      },
    },
  ],
});
const { average } = result.requests;
process.stdout.write(JSON.stringify({ average, non2xx: result.non2xx, errors: result.errors }));

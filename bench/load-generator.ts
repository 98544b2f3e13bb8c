import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';

/*
 * Load generator process: reads its order from standard input, requests the URLs in turn, each as the next user, and
 * prints the result.
 */
interface Order {
  readonly url: string;
  readonly paths: readonly string[];
  readonly tokens: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

const { url, paths, tokens, connections, seconds } = JSON.parse(await text(process.stdin)) as Order;
let requestCount = 0;

const result = await autocannon({
  url,
  connections,
  duration: seconds,
  requests: [
    {
      setupRequest: (request) => {
        requestCount += 1;
        const path = paths[requestCount % paths.length] ?? '/';
        // The user changes after seven requests, out of step with the URLs, so that each user requests each URL.
        const headers = { 'private-token': tokens[Math.floor(requestCount / 7) % tokens.length] ?? '' };
        return { ...request, path, headers };
      },
    },
  ],
});
const { average } = result.requests;
process.stdout.write(JSON.stringify({ average, non2xx: result.non2xx, errors: result.errors }));

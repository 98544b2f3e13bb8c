/**
 * Creates state once per server, on first use, such as in-memory limits. It is released with the server. A process may
 * run several servers, as the tests do, so this cannot be a module constant.
 */
export function perServer<Server extends object, State>(create: (server: Server) => State): (server: Server) => State {
  const states = new WeakMap<Server, State>();
  return (server) => {
    const known = states.get(server);
    if (known !== undefined) return known;
    const state = create(server);
    states.set(server, state);
    return state;
  };
}

/** Records which methods of a client are called, so that a test can find those it has missed. */
export class Ticks {
  readonly #called = new Set<string>();

  /** Wraps a client to record its calls. */
  watch<T extends object>(api: T): T {
    return new Proxy(api, { get: (target, name) => this.#watched(String(name), Reflect.get(target, name)) });
  }

  #watched(resource: string, value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    return new Proxy(value, {
      get: (target, name) => {
        if (typeof Reflect.get(target, name) === 'function') this.#called.add(`${resource}.${String(name)}`);
        return Reflect.get(target, name);
      },
    });
  }

  /** Lists the methods of these resources that have not been called. */
  left(api: object, resources: readonly string[]): string[] {
    return resources
      .flatMap((resource) => methodsOf(Reflect.get(api, resource)).map((method) => `${resource}.${method}`))
      .filter((method) => !this.#called.has(method))
      .sort();
  }
}

function methodsOf(resource: object): string[] {
  const prototype = Object.getPrototypeOf(resource);
  if (prototype === null || prototype === Object.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...new Set([...own, ...methodsOf(prototype)])];
}

/** The paths of routes in the notation of OpenAPI. */

/** The path of a route as OpenAPI templates: `/a/:id{[A-Z]+}/*` is `/a/{id}/{path}`. An optional last parameter yields two. */
export function pathTemplates(route: string): string[] {
  const [, whole = route, isOptional] = /^(.*?)(\?)?$/.exec(route) ?? [];
  const segments = whole.split(/\/(?![^{]*\})/).map((segment) => {
    const [, name] = /^:([^{}?]+)/.exec(segment) ?? [];
    if (name !== undefined) return `{${name}}`;
    return segment === "*" ? "{path}" : segment;
  });
  const template = segments.join("/");
  return isOptional ? [segments.slice(0, -1).join("/"), template] : [template];
}

/** Names of the parameters of a template, in order. */
export function parametersOf(template: string): string[] {
  return [...template.matchAll(/\{([^}]+)\}/g)].map(([, name = ""]) => name);
}

/** A unique name of an operation: `GET /flows/{namespace}` is `getFlowsByNamespace`. */
export function operationId(key: string): string {
  const words = key.replace(/\{([^}]+)\}/g, "by-$1").split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return words.map((word, index) => index === 0 ? word.toLowerCase() : word[0]?.toUpperCase() + word.slice(1))
    .join("");
}

// Lets ES modules import `@kestra-io/libs`: unlike `require`, `import` does not look into the folders of NODE_PATH. A package that
// the task installs comes first.
import * as nodeModule from "node:module";
import { isMainThread } from "node:worker_threads";

const LIBS = "@kestra-io/libs";
const found = {
  url: new URL(`./${LIBS}/index.js`, import.meta.url).href,
  format: "commonjs",
  shortCircuit: true,
};

/** For versions of Node.js whose hooks run in another thread. */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (specifier === LIBS) return found;
    throw error;
  }
}

function resolveHere(specifier, context, next) {
  try {
    return next(specifier, context);
  } catch (error) {
    if (specifier === LIBS) return found;
    throw error;
  }
}

if (nodeModule.registerHooks) nodeModule.registerHooks({ resolve: resolveHere });
else if (isMainThread) nodeModule.register(import.meta.url);

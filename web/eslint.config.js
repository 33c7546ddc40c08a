import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import { defineConfig } from "eslint/config";
import ts from "typescript-eslint";

import svelteConfig from "./svelte.config.js";

export default defineConfig(
  { ignores: ["node_modules"] },
  js.configs.recommended,
  ts.configs.strict,
  svelte.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "no-undef": "off", // the compiler knows the names of a browser
      "prefer-const": "off", // svelte/prefer-const also knows $props and $derived
      "svelte/prefer-const": "error",
      "svelte/no-useless-mustaches": "off", // {" "} is a blank that the formatter keeps
      "svelte/prefer-svelte-reactivity": "off", // maps and sets are local here: only whole values are state
      "@typescript-eslint/no-non-null-assertion": "off", // with two runs, a view has both of each pair of fields
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_$" }],
    },
  },
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } } },
);

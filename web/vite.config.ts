import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// Two entries. weightsmith.js is the component in one file, which the Python package writes into its pages. studio.js,
// the panel of `weightsmith studio`, imports it: so the component's entry may export more than its source does.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../src/weightsmith/studio/page",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: true,
    lib: { entry: { weightsmith: "src/main.ts", studio: "src/studio/main.ts" }, formats: ["es"] },
    rolldownOptions: {
      preserveEntrySignatures: "allow-extension",
      output: { minify: true, assetFileNames: "[name][extname]" }, // Vite leaves minifying to users of a library
    },
    license: { fileName: "LICENSES.md" },
  },
});

import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

// One module and one style sheet, which the Python package carries and writes into its pages.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../src/weightsmith/studio/page",
    emptyOutDir: true,
    target: "es2022",
    lib: { entry: "src/main.ts", formats: ["es"], fileName: "weightsmith", cssFileName: "weightsmith" },
    rolldownOptions: { output: { minify: true } }, // which Vite leaves to whoever uses a library
    license: { fileName: "LICENSES.md" },
  },
});

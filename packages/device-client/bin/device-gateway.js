#!/usr/bin/env node
// Committed, because installing the workspace links it before anything is built.
import "../dist/cli/main.js";

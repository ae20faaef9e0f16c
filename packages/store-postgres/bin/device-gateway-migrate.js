#!/usr/bin/env node
import "../dist/migrations/migrate-command.js";

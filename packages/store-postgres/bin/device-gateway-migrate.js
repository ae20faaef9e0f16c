#!/usr/bin/env node
import "../dist/migrate-command.js";

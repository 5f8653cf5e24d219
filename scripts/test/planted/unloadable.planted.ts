throw new Error("planted: this file does not load");

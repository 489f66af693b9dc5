"""What isolates an attempt from files, network, other processes and the machine."""
